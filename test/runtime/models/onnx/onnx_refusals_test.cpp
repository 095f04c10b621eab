#include <algorithm>

#include "onnx/graph_rows.hpp"

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
  CHECK_THAT(said_of_bytes(""), ContainsSubstring("it has no graph"));
  CHECK_THAT(refusal<ModelError>([] { read_network_model("/nowhere/net.onnx"); }),
             ContainsSubstring("'/nowhere/net.onnx'"));
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
             ContainsSubstring("net.onnx': node 3 of 4 (LSTM '/lstm/LSTM'): operation 'LSTM'"));
  sample.graph().node[2].name.clear();
  CHECK_THAT(sample.said(), ContainsSubstring("node 3 of 4 (LSTM, output '/Relu_output_0')"));
  // The same name in another domain is another operation.
  sample = pytorch_sample();
  sample.graph().node[1].domain = "com.microsoft";
  CHECK_THAT(sample.said(), ContainsSubstring("'com.microsoft.Gemm'"));
  sample.graph().node[1].domain = "ai.onnx";
  CHECK(sample.read() == pytorch_model());
}

TEST_CASE("unsupported attributes of nodes are refused") {
  const std::string gemm = "node 1 of 1 (Gemm, output 'y')";
  check({refused("y = Gemm(x,w,b) transA=1", gemm, "transA"),
         refused("y = Gemm(x,w,b) alpha=1", gemm, "alpha is not a float"),
         refused("y = Gemm(x,w,b) transB=1.0", gemm, "transB is not an integer"),
         refused("y = Softmax(x) axis=0", "(Softmax", "axis 0"),
         refused("y = Flatten(x) axis=2", "(Flatten", "axis 2"),
         refused("y = Flatten(x) axis=0", "(Flatten", "axis 0"),
         refused("y = Cast(x) to=3", "(Cast", "FLOAT to INT8"),
         gives("f = Flatten(x) axis=-1; y = Neg(f)", {{1, 10}}, {-1, -10}),
         gives("y = Softmax(x) axis=-1", {{3, 3}}, {0.5, 0.5})});
}

TEST_CASE("graphs are read in any order of their nodes, with values that several nodes read") {
  check({gives("z = Gemm(x,w,b); y = Add(z,x)", {{1, 10}}, {37, 58}, 2),
         gives("z = Gemm(x,w,b); y = Add(z,z)", {{1, 10}}, {72, 96}, 2),
         gives("z = Gemm(x,w,b); r = Relu(z); y = Add(r,z)", {{-6, 1}}, {4, -2}, 3),
         gives("x[N,2], c[N,2] => y[N,2]; y = Gemm(x,w,c)", {{1, 10}, {1, 2}}, {32, 44})});
  OnnxSample unsorted = pytorch_sample();
  std::swap(unsorted.graph().node[2], unsorted.graph().node[3]);
  CHECK(unsorted.read() == pytorch_model());
  std::ranges::reverse(unsorted.graph().node);
  CHECK(unsorted.read() == pytorch_model());
  OnnxSample any = gemm_sample();
  any.graph().input[0].type = {};
  CHECK(any.read() == gemm_sample().read());
}

TEST_CASE("invalid graphs are refused") {
  const std::string mask = "z = Gemm(x,w,b); d, mask = Dropout(z); ";
  check({refused("y = Gemm(none,w,b)", "(Gemm", "'none'"),
         refused("y = Gemm(y,w,b)", "node 1 of 1 (Gemm, output 'y')", "reads 'y'"),
         refused("y = Gemm(x,w,b); h = Relu(y); y = Gemm:again(h,w)", "node 3 of 3 (Gemm 'again')",
                 "'y', which an earlier"),
         refused("x = Relu(x); y = Gemm(x,w,b)", "node 1 of 2 (Relu, output 'x')",
                 "'x', which is a value"),
         refused("c[2,2] = 1*4; c = Relu(x); y = Gemm(x,c,b)", "node 1 of 2 (Relu, output 'c')",
                 "'c', which is a value"),
         refused("z = Gemm(x,w,b)", "'y'", "not computed"),
         refused("z = Gemm(x,w,b); y = Relu(w)", "'y'", "does not depend on the input"),
         refused("x[N,2] => w[2,2]; w[2,2] = 1 2 3 4; y = Gemm(x,w,b)", "'w'",
                 "does not depend on the input"),
         refused("z = Gemm(x,w,b); d, y = Dropout(z)", "'y'", "not computed"),
         refused(mask + "y = Where(mask,z,z)", "reads 'mask'", "node 2 of 3"),
         refused("c[2,2] = 1*4; y = Gemm(c,x,b)", "(Gemm", "as input 2"),
         refused("y = Gemm(x)", "(Gemm", "weights"),
         refused("yes:BOOL[] = 1; z = Gemm(x,w,b); y = Dropout(z,,yes)",
                 "node 2 of 2 (Dropout, output 'y')", "training"),
         refused("x[N,3,2] => y[N,2]; y = Gemm(x,w,b)", "(Gemm", "3 dimensions")});
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
  CHECK_THAT(label.said(), ContainsSubstring("'label'") && ContainsSubstring("INT64"));
  // An output that cannot be computed is skipped if there is another one.
  OnnxSample mixed = gemm_sample();
  mixed.node("LSTM", {"x"}, "state", "memory");
  mixed.output("state", {0, 2});
  const NetworkModel rest = mixed.read();
  CHECK(rest.outputs.size() == 1);
  REQUIRE(rest.skipped_outputs.size() == 1);
  CHECK_THAT(rest.skipped_outputs[0].reason, ContainsSubstring("node 2 of 2 (LSTM 'memory')"));
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
  CHECK_THAT(second.skipped_outputs[0].reason, ContainsSubstring("label"));
  CHECK_THAT(second.skipped_outputs[1].reason, ContainsSubstring("BOOL"));
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
    CHECK_THAT(claim(2, 3, typed), ContainsSubstring("node 1 of 1 (Gemm, output 'y')") &&
                                       ContainsSubstring("'w' needs 2 x 3"));
    CHECK_THAT(claim(large, 1, typed), ContainsSubstring("needs 1099511627776 x 1 "));
    CHECK_THAT(claim(large, large, typed), ContainsSubstring("1099511627776 x 1099511627776"));
    CHECK_THAT(claim(std::int64_t{1} << 62, 4, typed), ContainsSubstring(" x 4 elements"));
    CHECK_THAT(claim(-2, 2, typed), ContainsSubstring("'w', are -2 x 2"));
    CHECK_THAT(claim(0, large, typed), ContainsSubstring("are 0 x 1099511627776"));
  }
  CHECK_THAT(said_of_weights([](auto& t) { t.dims.push_back(1); }), ContainsSubstring("2 x 2 x 1"));
  CHECK_THAT(said_of_weights([](auto& t) { t.raw_data->remove_suffix(1); }),
             ContainsSubstring("'w'") && ContainsSubstring("15 bytes"));
  CHECK_THAT(said_of_weights([](auto& t) { t.data_type = 17; }), ContainsSubstring("FLOAT8E4M3FN"));
  CHECK_THAT(said_of_weights([](auto& t) { t.data_type = 4711; }), ContainsSubstring("type 4711"));
  CHECK_THAT(said_of_weights([](auto& t) { t.segment.emplace(); }), ContainsSubstring("segments"));
}

TEST_CASE("a small file cannot use a large tensor any number of times") {
  const auto layers = [](int width, int count) {
    const std::string columns = std::to_string(width);
    std::string text = "0[N," + columns + "] => " + std::to_string(count) + "[N," + columns +
                       "]; w[" + columns + "," + columns + "] = 1*" + std::to_string(width * width);
    for (int i = 0; i < count; ++i) {
      text += "; " + std::to_string(i + 1) + " = MatMul(" + std::to_string(i) + ",w)";
    }
    return text;
  };
  // Unrolled steps of a network, and 16 layers and 2^24 elements in others.
  check({accepted(layers(64, 50), 50), accepted(layers(512, 80), 80),
         refused(layers(512, 81), "node 81 of 81 (MatMul", "'w' is used")});
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
