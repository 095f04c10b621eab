#include <algorithm>

#include "catch.hpp"
#include "onnx/onnx_sample.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string said_of_bytes(const std::string& content) {
  const TemporaryFolder folder;
  const std::string path = written(folder, "net.onnx", content);
  return refusal<ModelError>([&] { read_network_model(path); });
}

TEST_CASE("files that are not ONNX are refused") {
  CHECK_THAT(said_of_bytes("{\"layers\": []}"),
             ContainsSubstring("net.onnx': is not an ONNX file"));
  CHECK_THAT(said_of_bytes(""),
             ContainsSubstring("net.onnx': is not an ONNX file: it has no graph"));
  CHECK_THAT(refusal<ModelError>([] { read_network_model("/nowhere/net.onnx"); }),
             ContainsSubstring("'/nowhere/net.onnx': cannot be opened"));
  const std::string whole = pytorch_sample().bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(said_of_bytes(whole.substr(0, length)).empty());
  }
}

TEST_CASE("the error contains the first unsupported node") {
  OnnxSample sample = pytorch_sample();
  sample.graph().node[2].op_type = "LSTM";
  sample.graph().node[2].name = "/lstm/LSTM";
  sample.graph().node[3].op_type = "MaxPool";
  CHECK_THAT(sample.said(),
             ContainsSubstring("net.onnx': node 3 of 4 (LSTM '/lstm/LSTM'): operation 'LSTM' "
                               "is not supported. Networks consist of fully connected layers"));
  sample.graph().node[2].name.clear();
  CHECK_THAT(
      sample.said(),
      ContainsSubstring("net.onnx': node 3 of 4 (LSTM, output '/Relu_output_0'): operation"));
  // The same name in another domain is another operation.
  sample = pytorch_sample();
  sample.graph().node[1].domain = "com.microsoft";
  CHECK_THAT(sample.said(), ContainsSubstring("operation 'com.microsoft.Gemm' is not supported"));
  sample.graph().node[1].domain = "ai.onnx";
  CHECK(sample.read() == pytorch_model());
}

TEST_CASE("unsupported attributes of nodes are refused") {
  const auto said_with = [](const std::string& name, std::int64_t value, const char* op = "Gemm") {
    OnnxSample sample = gemm_sample();
    sample.graph().node[0].op_type = op;
    if (std::string(op) != "Gemm") {
      while (sample.graph().node[0].input.size() > 1) {
        sample.graph().node[0].input.pop_back();
      }
    }
    OnnxSample::set(sample.graph().node[0], name, value);
    return sample.said();
  };
  CHECK_THAT(said_with("transA", 1),
             ContainsSubstring("node 1 of 1 (Gemm, output 'y'): has transA"));
  CHECK_THAT(said_with("alpha", 1), ContainsSubstring("its attribute alpha is not a float"));
  CHECK_THAT(said_with("axis", 0, "Softmax"), ContainsSubstring("operates along axis 0"));
  CHECK_THAT(said_with("axis", 2, "Flatten"), ContainsSubstring("has axis 2"));
  CHECK_THAT(said_with("axis", 0, "Flatten"), ContainsSubstring("has axis 0"));
  CHECK_THAT(said_with("to", 3, "Cast"), ContainsSubstring("casts FLOAT to INT8; only casts to"));
  CHECK(said_with("axis", -1, "Flatten").empty());
  CHECK(said_with("axis", -1, "Softmax").empty());
  OnnxSample sample = gemm_sample();
  OnnxSample::set(sample.graph().node[0], "transB", 1.0f);
  CHECK_THAT(sample.said(), ContainsSubstring("its attribute transB is not an integer"));
}

TEST_CASE("invalid graphs are refused") {
  OnnxSample residual = gemm_sample();
  residual.graph().node[0].output[0] = "z";
  residual.node("Add", {"z", "x"}, "y", "skip");
  CHECK(residual.read().layers.back() ==
        NetworkLayer(OperationLayer{"skip", NetworkOperation::kAdd, {{}, {0, {}}}, {}}));
  OnnxSample doubled = gemm_sample();
  doubled.graph().node[0].output[0] = "z";
  doubled.node("Add", {"z", "z"}, "y");
  CHECK(doubled.read().layers.size() == 2);
  OnnxSample two_inputs = gemm_sample();
  two_inputs.input("bias", {0, 2});
  two_inputs.graph().node[0].input[2] = "bias";
  CHECK(two_inputs.read().inputs.size() == 2);
  OnnxSample dangling = gemm_sample();
  dangling.graph().node[0].input[0] = "none";
  CHECK_THAT(dangling.said(), ContainsSubstring("reads 'none', which nothing computes"));
  OnnxSample unsorted = pytorch_sample();
  std::swap(unsorted.graph().node[2], unsorted.graph().node[3]);
  CHECK(unsorted.read() == pytorch_model());
  std::ranges::reverse(unsorted.graph().node);
  CHECK(unsorted.read() == pytorch_model());
  OnnxSample loop = gemm_sample();
  loop.graph().node[0].input[0] = "y";
  CHECK_THAT(loop.said(),
             ContainsSubstring("node 1 of 1 (Gemm, output 'y'): reads 'y', which depends on"));
  OnnxSample twice = pytorch_sample();
  twice.graph().node[3].output[0] = "/Relu_output_0";
  twice.graph().output[0].name = "/Relu_output_0";
  CHECK_THAT(
      twice.said(),
      ContainsSubstring("node 4 of 4 (Gemm '/fc2/Gemm'): computes '/Relu_output_0', which an "
                        "earlier node computes"));
  for (const char* given : {"x", "w"}) {
    OnnxSample again = gemm_sample();
    again.node("Relu", {"x"}, given);
    std::swap(again.graph().node[0], again.graph().node[1]);
    CHECK_THAT(again.said(), ContainsSubstring("node 1 of 2 (Relu, output '" + std::string(given) +
                                               "'): computes '" + given + "', which is a value"));
  }
  OnnxSample silent = gemm_sample();
  silent.graph().node[0].output.clear();
  CHECK_THAT(silent.said(), ContainsSubstring("the output 'y' of the graph is not computed"));
  OnnxSample constant = gemm_sample();
  constant.node("Relu", {"w"}, "z");
  constant.graph().output[0].name = "z";
  CHECK_THAT(constant.said(), ContainsSubstring("does not depend on the input"));
  OnnxSample weights = gemm_sample();
  weights.graph().output[0].name = "w";
  CHECK_THAT(weights.said(), ContainsSubstring("the output 'w' does not depend on the input"));
  OnnxSample mask = gemm_sample();
  mask.graph().node[0].output[0] = "z";
  mask.node("Dropout", {"z"}, "dropped").output.push_back("y");
  CHECK_THAT(mask.said(), ContainsSubstring("the output 'y' of the graph is not computed"));
  mask.graph().node[1].output[1] = "mask";
  mask.node("Where", {"mask", "z", "z"}, "y");
  CHECK_THAT(mask.said(), ContainsSubstring("reads 'mask', which is an output of node 2 of 3"));
}

TEST_CASE("operands in wrong places are refused") {
  OnnxSample left = gemm_sample();
  left.graph().node[0].input[0] = "w";
  left.graph().node[0].input[1] = "x";
  CHECK_THAT(left.said(), ContainsSubstring("has a computed value as input 2; it must be input 1"));
  OnnxSample alone = gemm_sample();
  alone.graph().node[0].input.clear();
  alone.graph().node[0].input.push_back("x");
  CHECK_THAT(alone.said(), ContainsSubstring("has no constant weights (its input 2)"));
  OnnxSample after_relu = gemm_sample();
  after_relu.graph().node[0].output[0] = "0";
  after_relu.node("Relu", {"0"}, "1");
  after_relu.node("Add", {"1", "0"}, "y");
  CHECK(after_relu.read().layers.size() == 3);
  OnnxSample training = gemm_sample();
  training.graph().node[0].output[0] = "0";
  auto& yes = training.tensor("yes", {}, onnx::kBool);
  yes.int32_data.push_back(1);
  training.node("Dropout", {"0", "", "yes"}, "y");
  CHECK_THAT(training.said(),
             ContainsSubstring("node 2 of 2 (Dropout, output 'y'): is in training mode"));
  OnnxSample cube = gemm_sample();
  cube.graph().input[0] = {};
  OnnxSample::describe(cube.graph().input[0], "x", {0, 3, 2});
  CHECK_THAT(cube.said(),
             ContainsSubstring("reads a value with 3 dimensions; only batches of rows"));
  OnnxSample any = gemm_sample();
  any.graph().input[0].type = {};
  CHECK(any.read() == gemm_sample().read());
}

TEST_CASE("all float outputs are read, and others are skipped with a reason") {
  OnnxSample two = pytorch_sample();
  two.output("/Relu_output_0", {0, 2});
  const NetworkModel model = two.read();
  REQUIRE(model.outputs.size() == 2);
  CHECK(model.outputs[0].name == "output");
  CHECK(model.outputs[1].name == "/Relu_output_0");
  CHECK(model.outputs[1].value == 2);
  OnnxSample none = gemm_sample();
  none.graph().output.clear();
  CHECK_THAT(none.said(), ContainsSubstring("has no outputs"));
  OnnxSample label = gemm_sample();
  label.graph().output.clear();
  label.output("label", {0}, onnx::kInt64);
  CHECK_THAT(label.said(),
             ContainsSubstring("the output 'label' is not a float matrix, but INT64"));
  // An output that cannot be computed is skipped if there is another one.
  OnnxSample mixed = gemm_sample();
  mixed.node("LSTM", {"x"}, "state", "memory");
  mixed.output("state", {0, 2});
  const NetworkModel rest = mixed.read();
  CHECK(rest.outputs.size() == 1);
  REQUIRE(rest.skipped_outputs.size() == 1);
  CHECK_THAT(rest.skipped_outputs[0].reason,
             ContainsSubstring("node 2 of 2 (LSTM 'memory'): operation 'LSTM' is not supported"));
  CHECK_FALSE(rest.skipped_outputs[0].is_first);
  // The first output of floats is marked, since another one takes its place.
  OnnxSample other = gemm_sample();
  other.graph().output.clear();
  other.node("LSTM", {"x"}, "state", "memory");
  other.output("label", {0}, onnx::kInt64);
  other.output("mask", {0, 2}, onnx::kBool);
  other.output("state", {0, 2});
  other.output("y", {0, 2});
  const NetworkModel second = other.read();
  REQUIRE(second.skipped_outputs.size() == 3);
  CHECK_THAT(second.skipped_outputs[0].reason, ContainsSubstring("The label of a classifier"));
  CHECK(second.skipped_outputs[1].reason == "is not a float matrix, but BOOL");
  CHECK_FALSE(second.skipped_outputs[0].is_first);
  CHECK(second.skipped_outputs[2].is_first);
  CHECK(select_network_outputs(second, {0}).skipped_outputs.empty());
}

TEST_CASE("tensors with wrong extents are refused before memory is allocated") {
  const auto said_of_weights = [](const auto& change) {
    OnnxSample sample = gemm_sample();
    change(sample.graph().initializer[0]);
    return sample.said();
  };
  const auto claim = [&](std::int64_t rows, std::int64_t columns, bool typed) {
    return said_of_weights([&](onnx::Tensor& tensor) {
      tensor.dims[0] = rows;
      tensor.dims[1] = columns;
      if (typed) tensor.raw_data.reset();
    });
  };
  const std::int64_t large = std::int64_t{1} << 40;
  for (const bool typed : {false, true}) {
    CHECK_THAT(
        claim(2, 3, typed),
        ContainsSubstring("node 1 of 1 (Gemm, output 'y'): initialiser 'w' needs 2 x 3 elements"));
    CHECK_THAT(claim(large, 1, typed), ContainsSubstring("needs 1099511627776 x 1 elements"));
    CHECK_THAT(claim(large, large, typed),
               ContainsSubstring("needs 1099511627776 x 1099511627776 elements"));
    CHECK_THAT(claim(std::int64_t{1} << 62, 4, typed), ContainsSubstring(" x 4 elements"));
    CHECK_THAT(claim(-2, 2, typed), ContainsSubstring("its weights, initialiser 'w', are -2 x 2"));
    CHECK_THAT(claim(0, large, typed),
               ContainsSubstring("are 0 x 1099511627776, which is not a matrix"));
  }
  CHECK_THAT(said_of_weights([](auto& tensor) { tensor.dims.push_back(1); }),
             ContainsSubstring("are 2 x 2 x 1, which is not a matrix"));
  CHECK_THAT(said_of_weights([](auto& tensor) { tensor.raw_data->remove_suffix(1); }),
             ContainsSubstring("needs 2 x 2 elements of 4 bytes, but has 15 bytes"));
  CHECK_THAT(said_of_weights([](auto& tensor) { tensor.data_type = 17; }),
             ContainsSubstring("has type FLOAT8E4M3FN; FLOAT, DOUBLE, FLOAT16 and BFLOAT16 are"));
  CHECK_THAT(said_of_weights([](auto& tensor) { tensor.data_type = 4711; }),
             ContainsSubstring("has type 4711"));
  CHECK_THAT(said_of_weights([](auto& tensor) { tensor.segment.emplace(); }),
             ContainsSubstring("is split into segments, which is not supported"));
}

TEST_CASE("a small file cannot use a large tensor any number of times") {
  const auto sample_of_layers = [](std::int64_t width, int count) {
    OnnxSample sample;
    sample.input("0", {0, width});
    const std::vector<float> weights(static_cast<std::size_t>(width * width), 1.0f);
    sample.raw("w", {width, width}, weights);
    for (int i = 0; i < count; ++i) {
      sample.node("MatMul", {std::to_string(i), "w"}, std::to_string(i + 1));
    }
    sample.output(std::to_string(count), {0, width});
    return sample;
  };
  // Unrolled steps of a network.
  CHECK(sample_of_layers(64, 50).read().layers.size() == 50);
  // 16 layers and 2^24 elements in others.
  CHECK(sample_of_layers(512, 80).said().empty());
  CHECK_THAT(
      sample_of_layers(512, 81).said(),
      ContainsSubstring(
          "node 81 of 81 (MatMul, output '81'): initialiser 'w' is used by more than 16 nodes"));
}

TEST_CASE("a file with any changed byte is read or refused") {
  // Each byte is replaced by several values: the file must be read as another network or refused
  // with a ModelError.
  const std::string whole = sklearn_sample(true).bytes();
  int read = 0, refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char other : {'\0', '\1', '\x7f', '\x80', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = other;
      ++(said_of_bytes(damaged).empty() ? read : refused);
    }
  }
  CHECK(read > 100);
  CHECK(refused > 100);
}

}  // namespace
}  // namespace tilewright
