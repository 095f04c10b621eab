#include "catch.hpp"
#include "onnx/onnx_sample.hpp"

namespace tilewright {
namespace {

TEST_CASE("a model written as ONNX is read as the same model") {
  const TemporaryFolder folder;
  const std::string path = folder.file("net.onnx");
  write_network_model(sample_model(), path);
  CHECK(read_network_model(path) == sample_model());
  for (const NetworkModel& model : {pytorch_model(), sklearn_model()}) {
    write_network_model(model, path);
    CHECK(read_network_model(path) == model);
  }
  // A node without effect leaves no layer.
  NetworkModel model = pytorch_model();
  model.layers.push_back(activation_layer(Activation::kIdentity));
  write_network_model(model, path);
  CHECK(read_network_model(path) == pytorch_model());
}

TEST_CASE("a written file has the oldest operator set with all of its operations") {
  const TemporaryFolder folder;
  const auto versions = [&](Activation activation) {
    NetworkModel model = pytorch_model();
    model.layers.push_back(activation_layer(activation));
    write_network_model(model, folder.file("net.onnx"));
    const std::string bytes = read_content(folder.file("net.onnx"));
    const onnx::Model proto = onnx::decode(bytes, {});
    return std::pair(proto.opset_import[0].version, proto.ir_version);
  };
  using Versions = std::pair<std::int64_t, std::int64_t>;
  CHECK(versions(Activation::kSoftplus) == Versions{13, 7});
  CHECK(versions(Activation::kHardSwish) == Versions{14, 7});
  CHECK(versions(Activation::kGeluTanh) == Versions{20, 9});
}

TEST_CASE("a model can be converted from ONNX to JSON and back") {
  const TemporaryFolder folder;
  const NetworkModel model = sklearn_sample(true).read();
  write_network_model(model, folder.file("net.json"));
  CHECK(read_network_model(folder.file("net.json")) == model);
  write_network_model(read_network_model(folder.file("net.json")), folder.file("net.onnx"));
  CHECK(read_network_model(folder.file("net.onnx")) == model);
}

TEST_CASE("written ONNX follows the specification") {
  const TemporaryFolder folder;
  const std::string path = folder.file("net.onnx");
  NetworkModel model = pytorch_model();
  model.layers.emplace_back(ActivationLayer{"", Activation::kLeakyRelu, 0.5f});
  write_network_model(model, path);
  const std::string bytes = read_content(path);
  const onnx::Model proto = onnx::decode(bytes, {});
  CHECK(proto.ir_version == 7);
  REQUIRE(proto.opset_import.size() == 1);
  CHECK(proto.opset_import[0].version == 13);
  CHECK(proto.producer_name == "tilewright");
  const onnx::Graph& graph = *proto.graph;
  CHECK_FALSE(graph.name.empty());  // the format wants one
  REQUIRE(graph.input.size() == 1);
  CHECK(graph.input[0].type.tensor_type->shape->dim[1].dim_value == 3);
  CHECK(graph.input[0].type.tensor_type->shape->dim[0].dim_param == "batch");
  REQUIRE(graph.output.size() == 1);
  CHECK(graph.output[0].type.tensor_type->shape->dim[1].dim_value == 2);
  REQUIRE(graph.node.size() == 4);
  CHECK(graph.node[0].name == "/fc1/Gemm");
  CHECK(graph.node[0].input[0] == graph.input[0].name);
  CHECK(graph.node[3].output[0] == graph.output[0].name);
  CHECK(graph.node[3].attribute[0].type == onnx::Attribute::kFloatValue);
  REQUIRE(graph.initializer.size() == 4);
  CHECK(graph.initializer[0].dims[0] == 3);
  CHECK(graph.initializer[0].raw_data == float_bytes({1, 4, 2, 5, 3, 6}));
}

TEST_CASE("values inside of a written graph have names of their own") {
  NetworkModel model = sample_model();
  model.outputs = {{"layer2", kPreviousValue}, {"layer1", 1}};
  const TemporaryFolder folder;
  write_network_model(model, folder.file("net.onnx"));
  CHECK(read_network_model(folder.file("net.onnx")) == model);
  model.outputs[1].name = "layer2";
  CHECK_THAT(refusal<ModelError>([&] { write_network_model(model, folder.file("net.onnx")); }),
             Catch::Matchers::ContainsSubstring("name 'layer2'"));
}

TEST_CASE("reductions are written as the operator set of the graph has them") {
  const OperationLayer mean{"", NetworkOperation::kMean, {{}}, {1}};
  const auto written_axes = [&](Activation activation) {
    const NetworkModel model{
        {AffineLayer{"", 2, 2, {1, 2, 3, 4}, {}}, activation_layer(activation), mean}};
    const TemporaryFolder folder;
    write_network_model(model, folder.file("net.onnx"));
    CHECK(read_network_model(folder.file("net.onnx")) == model);
    const std::string bytes = read_content(folder.file("net.onnx"));
    const onnx::Model proto = onnx::decode(bytes, {});
    for (const onnx::Node& node : proto.graph->node) {
      if (node.op_type == "ReduceMean") return node.input.size();
    }
    return std::size_t{0};
  };
  CHECK(written_axes(Activation::kTanh) == 1);  // an attribute, in operator set 13
  CHECK(written_axes(Activation::kGelu) == 2);  // an input, in operator set 20
}

}  // namespace
}  // namespace tilewright
