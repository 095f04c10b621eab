#include <cmath>

#include "catch.hpp"
#include "onnx/onnx_sample.hpp"

namespace tilewright {
namespace {

AffineLayer only_layer(const OnnxSample& sample) {
  const NetworkModel model = sample.read();
  REQUIRE(model.layers.size() == 1);
  return std::get<AffineLayer>(model.layers[0]);
}

TEST_CASE("networks exported by PyTorch are read") {
  CHECK(pytorch_sample().read() == pytorch_model());
}

TEST_CASE("networks exported by skl2onnx are read, and the output is the probabilities") {
  CHECK(sklearn_sample(false).read() == sklearn_model());
  CHECK(sklearn_sample(true).read() == sklearn_model());
  // The last nodes of a regressor.
  OnnxSample sample;
  sample.input("X", {0, 2});
  sample.typed("w", {2, 1}, {1, 2});
  sample.integers("shape", {-1, 1});
  sample.node("MatMul", {"X", "w"}, "product");
  sample.node("Reshape", {"product", "shape"}, "variable");
  sample.output("variable", {0, 1});
  CHECK(only_layer(sample) == AffineLayer{"", 2, 1, {1, 2}, {}});
}

TEST_CASE("Gemm with transB, alpha, beta and every shape of bias is read") {
  OnnxSample sample = gemm_sample();
  CHECK(only_layer(sample) == AffineLayer{"", 2, 2, {1, 2, 3, 4}, {5, 6}});
  auto& gemm = sample.graph().node[0];
  OnnxSample::set(gemm, "transB", std::int64_t{1});
  OnnxSample::set(gemm, "alpha", 2.0f);
  OnnxSample::set(gemm, "beta", -1.0f);
  CHECK(only_layer(sample) == AffineLayer{"", 2, 2, {2, 6, 4, 8}, {-5, -6}});

  const auto with_bias = [](const std::vector<std::int64_t>& extents,
                            const std::vector<float>& values) {
    OnnxSample other = gemm_sample();
    other.graph().initializer.pop_back();
    other.typed("b", extents, values);
    return other;
  };
  CHECK(only_layer(with_bias({1, 2}, {7, 8})).bias == std::vector<float>{7, 8});
  CHECK(only_layer(with_bias({}, {7})).bias == std::vector<float>{7, 7});
  CHECK(only_layer(with_bias({1}, {7})).bias == std::vector<float>{7, 7});
  CHECK(only_layer(with_bias({1, 1}, {7})).bias == std::vector<float>{7, 7});
  using Catch::Matchers::ContainsSubstring;
  CHECK_THAT(with_bias({3}, {7, 8, 9}).said(),
             ContainsSubstring(
                 "node 1 of 1 (Gemm, output 'y'): adds initialiser 'b', which is 3, to rows of 2 "
                 "elements"));
  CHECK_THAT(with_bias({2, 1}, {7, 8}).said(), ContainsSubstring("which is 2 x 1, to rows"));
  CHECK_THAT(with_bias({1, 1, 2}, {7, 8}).said(), ContainsSubstring("which is 1 x 1 x 2, to rows"));
  CHECK_THAT(with_bias({0}, {}).said(), ContainsSubstring("which is 0, to rows"));

  OnnxSample without = gemm_sample();
  without.graph().node[0].input.pop_back();
  CHECK(only_layer(without).bias.empty());
  // An empty name stands for an optional input that is not given.
  without.graph().node[0].input.push_back("");
  CHECK(only_layer(without).bias.empty());
}

TEST_CASE("MatMul and Add are read in any order of operands, also with several Adds") {
  OnnxSample sample;
  sample.input("x", {0, 2});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  sample.raw("b", {2}, {5, 6});
  sample.raw("c", {1}, {0.5f});
  sample.node("MatMul", {"x", "w"}, "product", "fc");
  sample.node("Add", {"b", "product"}, "sum");
  sample.node("Add", {"sum", "c"}, "y");
  sample.output("y", {0, 2});
  CHECK(only_layer(sample) == AffineLayer{"fc", 2, 2, {1, 2, 3, 4}, {5.5f, 6.5f}});
}

TEST_CASE("all activations are read, and nodes that add no layer") {
  OnnxSample sample;
  sample.input("x", {0, 1, 2, 1});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  sample.integers("shape", {-1, 2});
  auto& yes = sample.tensor("no", {}, onnx::kBool);
  yes.raw_data = kept(std::string(1, '\0'));
  sample.node("Relu", {"x"}, "0");
  sample.node("Reshape", {"0", "shape"}, "1");
  sample.node("Dropout", {"1", "", "no"}, "2").output.push_back("mask");
  sample.node("Identity", {"2"}, "3");
  sample.node("MatMul", {"3", "w"}, "4");
  sample.node("Sigmoid", {"4"}, "5");
  sample.node("Tanh", {"5"}, "6");
  sample.node("LeakyRelu", {"6"}, "7");
  OnnxSample::set(sample.node("LeakyRelu", {"7"}, "8"), "alpha", 0.25f);
  sample.node("Softmax", {"8"}, "9", "probabilities");
  OnnxSample::set(sample.node("Cast", {"9"}, "10"), "to", std::int64_t{11});
  sample.output("10", {0, 2}, onnx::kDouble);
  NetworkModel expected;
  expected.layers = {activation_layer(Activation::kRelu),
                     AffineLayer{"", 2, 2, {1, 2, 3, 4}, {}},
                     activation_layer(Activation::kSigmoid),
                     activation_layer(Activation::kTanh),
                     activation_layer(Activation::kLeakyRelu),
                     ActivationLayer{"", Activation::kLeakyRelu, 0.25f},
                     ActivationLayer{"probabilities", Activation::kSoftmax, 0.01f}};
  CHECK(sample.read() == expected);
}

TEST_CASE("half-precision weights and biases are read from bytes and fields") {
  OnnxSample sample;
  sample.input("x", {0, 2});
  auto& w = sample.raw("w", {2, 2}, {});
  w.data_type = onnx::kFloat16;
  // 1, -2, 65504 and the smallest denormal number, little-endian.
  w.raw_data = kept(std::string("\x00\x3c\x00\xc0\xff\x7b\x01\x00", 8));
  auto& b = sample.raw("b", {2}, {});
  b.data_type = onnx::kFloat16;
  b.raw_data.reset();
  for (const int bits : {0x3800, 0xb400}) b.int32_data.push_back(bits);
  OnnxSample::set(sample.node("Cast", {"x"}, "half"), "to", std::int64_t{10});
  sample.node("MatMul", {"half", "w"}, "product");
  sample.node("Add", {"product", "b"}, "y");
  sample.output("y", {0, 2}, onnx::kFloat16);
  NetworkModel expected;
  expected.layers = {
      AffineLayer{"", 2, 2, {1.0f, -2.0f, 65504.0f, std::ldexp(1.0f, -24)}, {0.5f, -0.25f}}};
  CHECK(sample.read() == expected);
}

TEST_CASE("BFLOAT16 weights and biases are read from bytes and fields, and constants are rounded") {
  OnnxSample sample;
  sample.input("x", {0, 2});
  auto& w = sample.raw("w", {2, 2}, {});
  w.data_type = onnx::kBfloat16;
  // 1, -2, the largest number and the smallest one, little-endian.
  w.raw_data = kept(std::string("\x80\x3f\x00\xc0\x7f\x7f\x01\x00", 8));
  auto& b = sample.tensor("b", {2}, onnx::kBfloat16);
  for (const int bits : {0x3f00, 0xbe80}) b.int32_data.push_back(bits);
  // 257 and 259 lie between numbers with 8 bits.
  sample.raw("c", {2}, {257, 259});
  OnnxSample::set(sample.node("Cast", {"c"}, "rounded"), "to", std::int64_t{16});
  OnnxSample::set(sample.node("Cast", {"rounded"}, "d"), "to", std::int64_t{1});
  OnnxSample::set(sample.node("Cast", {"w"}, "wide"), "to", std::int64_t{1});
  OnnxSample::set(sample.node("Cast", {"x"}, "short"), "to", std::int64_t{16});
  sample.node("Gemm", {"short", "wide", "b"}, "h");
  sample.node("Add", {"h", "d"}, "y");
  sample.output("y", {0, 2});
  const AffineLayer layer = only_layer(sample);
  const float largest = std::ldexp(255.0f, 120);
  CHECK(layer.weights == std::vector<float>{1.0f, -2.0f, largest, std::ldexp(1.0f, -133)});
  CHECK(layer.bias == std::vector<float>{256.5f, 259.75f});
  sample.graph().initializer[1].int32_data[0] = 0x13f00;
  CHECK_THAT(sample.said(),
             Catch::Matchers::ContainsSubstring("'b' has 81664 where 16 bits are expected"));
}

TEST_CASE("constants computed by Constant, Identity, Transpose and Cast are read") {
  OnnxSample sample;
  sample.input("x", {0, 3});
  sample.raw("w", {2, 3}, {1, 2, 3, 4, 5, 6});
  auto& attribute = sample.node("Constant", {}, "b").attribute.emplace_back();
  attribute.name = "value";
  onnx::Tensor value;
  value.data_type = onnx::kDouble;
  value.dims = {2};
  value.double_data = {0.1, 8.0};
  attribute.t = std::make_shared<onnx::Tensor>(value);
  sample.node("Identity", {"w"}, "same");
  auto& order = sample.node("Transpose", {"same"}, "turned").attribute.emplace_back();
  order.name = "perm";
  order.ints = {1, 0};
  OnnxSample::set(sample.node("Cast", {"b"}, "cast"), "to", std::int64_t{1});
  sample.node("Gemm", {"x", "turned", "cast"}, "y");
  sample.output("y", {0, 2});
  CHECK(only_layer(sample) == AffineLayer{"", 3, 2, {1, 4, 2, 5, 3, 6}, {0.1f, 8}});
  // Transposed twice: by the node and by transB.
  sample.graph().initializer[0].dims[0] = 3;
  sample.graph().initializer[0].dims[1] = 2;
  OnnxSample::set(sample.graph().node[4], "transB", std::int64_t{1});
  CHECK(only_layer(sample).weights == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("reshapes that keep one row per sample are read") {
  const auto reshaped = [](const std::vector<std::int64_t>& from,
                           const std::vector<std::int64_t>& to) {
    OnnxSample sample;
    sample.input("x", from);
    sample.integers("shape", to);
    sample.raw("w", {4, 1}, {1, 2, 3, 4});
    sample.node("Reshape", {"x", "shape"}, "rows");
    sample.node("MatMul", {"rows", "w"}, "y");
    sample.output("y", {0, 1});
    return sample.said();
  };
  using Catch::Matchers::ContainsSubstring;
  CHECK(reshaped({0, 2, 2}, {-1, 4}).empty());
  CHECK(reshaped({0, 2, 2}, {0, -1}).empty());
  CHECK(reshaped({1, 1, 2, 2}, {1, -1}).empty());
  CHECK(reshaped({0, 4}, {0, 0}).empty());
  CHECK(reshaped({4, 4}, {4, -1}).empty());
  CHECK(reshaped({4, 2, 2}, {4, 4}).empty());
  CHECK(reshaped({4, 2, 2}, {-1, 4}).empty());
  CHECK(reshaped({0, 4}, {4, 4}).empty());
  // These shapes join or split samples for all batch sizes but one.
  const char* open =
      "makes 4 rows of a batch whose size the file leaves open; only one row per "
      "sample";
  CHECK_THAT(reshaped({0, 4}, {4, -1}), ContainsSubstring(open));
  CHECK_THAT(reshaped({0, 2, 2}, {4, -1}), ContainsSubstring(open));
  CHECK_THAT(reshaped({0, 0}, {4, -1}), ContainsSubstring(open));
  CHECK_THAT(reshaped({0, 0}, {4, 4}), ContainsSubstring(open));
  CHECK(reshaped({0, 4}, {4, 0}).empty());
  CHECK_THAT(reshaped({0, 4}, {1, -1}), ContainsSubstring("makes 1 rows of a batch whose size"));
  CHECK_THAT(reshaped({8, 4}, {4, -1}),
             ContainsSubstring("makes 4 rows of a batch whose size is 8"));
  CHECK_THAT(reshaped({0, 4}, {-1, 2}), ContainsSubstring("makes -1 x 2 of samples of 4 elements"));
  CHECK_THAT(reshaped({4, 4}, {4, 2}), ContainsSubstring("makes 4 x 2 of samples of 4 elements"));
  CHECK_THAT(reshaped({0, 2, 2}, {0, 0}),
             ContainsSubstring("node 1 of 2 (Reshape, output 'rows'): makes 0 x 0"));
  CHECK_THAT(reshaped({0, 4, 2}, {-1, 4}),
             ContainsSubstring("makes -1 x 4 of samples of 8 elements"));
  CHECK_THAT(reshaped({0, 4}, {-1, -1}), ContainsSubstring("makes -1 x -1"));
  CHECK_THAT(reshaped({0, 4}, {-2, 4}), ContainsSubstring("makes -2 x 4"));
  CHECK_THAT(reshaped({0, 4}, {-1, 2, 2}),
             ContainsSubstring("node 2 of 2 (MatMul, output 'y'): needs rows of 4 elements, "
                               "but its input has rows of 2"));
  CHECK_THAT(reshaped({0, 3}, {-1, 3}),
             ContainsSubstring("node 2 of 2 (MatMul, output 'y'): needs rows of 4 elements, "
                               "but its input has rows of 3"));
}

TEST_CASE("a product of three dimensions multiplies each row of a sample") {
  using Catch::Matchers::ContainsSubstring;
  const auto times = [](const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w) {
    OnnxSample sample;
    sample.input("x", x);
    std::vector<float> weights;
    for (std::int64_t i = 0; i < w.front() * w.back(); ++i) {
      weights.push_back(static_cast<float>(i + 1));
    }
    sample.raw("w", w, weights);
    sample.node("MatMul", {"x", "w"}, "y", "rows");
    sample.output("y", {0, 3, 2});
    return sample;
  };
  const std::vector<NetworkLayer> layers = times({0, 3, 2}, {2, 2}).read().layers;
  // Three selections and three products in turn, then a concatenation.
  REQUIRE(layers.size() == 7);
  for (const std::size_t row : {0, 1, 2}) {
    const auto first = static_cast<std::int64_t>(2 * row);
    CHECK(std::get<OperationLayer>(layers[2 * row]).columns ==
          std::vector<std::int64_t>{first, first + 1});
    CHECK(std::get<AffineLayer>(layers[2 * row + 1]).weights == std::vector<float>{1, 2, 3, 4});
  }
  CHECK(std::get<OperationLayer>(layers[6]).operation == NetworkOperation::kConcat);
  CHECK(times({0, 1, 2}, {2, 2}).read().layers.size() == 1);
  CHECK_THAT(times({0, 3, 4}, {2, 2}).said(), ContainsSubstring("needs rows of 2 elements, but"));
  CHECK_THAT(
      times({0, 17, 2}, {2, 2}).said(),
      ContainsSubstring("multiplies 17 rows of each sample by the same weights; at most 16"));
  CHECK_THAT(times({0, 0, 2}, {2, 2}).said(),
             ContainsSubstring("multiplies an unknown number of rows"));
}

TEST_CASE("inputs have the order of the graph, whichever node takes them first") {
  OnnxSample sample;
  sample.input("unused", {0, 9});
  sample.input("state", {0, 2});
  sample.input("action", {0, 2});
  sample.raw("w", {2, 1}, {1, 2});
  sample.node("Sub", {"action", "state"}, "difference");
  sample.node("MatMul", {"difference", "w"}, "y");
  sample.output("y", {0, 1});
  const NetworkModel model = sample.read();
  REQUIRE(model.inputs.size() == 2);
  CHECK(model.inputs[0].name == "state");
  CHECK(model.inputs[1].name == "action");
  const auto& difference = std::get<OperationLayer>(model.layers.front());
  CHECK(difference.operands[0].value == 1);
  CHECK(difference.operands[1].value == kPreviousValue);
}

TEST_CASE("a model in memory is the model of the file") {
  using Catch::Matchers::ContainsSubstring;
  const OnnxSample sample = pytorch_sample();
  const std::string bytes = sample.bytes();
  CHECK(read_network_model(bytes.data(), bytes.size()) == sample.read());
  const auto said = [](const void* data, std::size_t size) {
    return refusal<ModelError>([&] { read_network_model(data, size); });
  };
  CHECK_THAT(said(bytes.data(), bytes.size() / 2),
             ContainsSubstring("model: in memory: is not an ONNX file, or is truncated"));
  CHECK_THAT(said(nullptr, 1), ContainsSubstring("model: has no data"));
  CHECK_THAT(said(nullptr, 0), ContainsSubstring("model: in memory: is not an ONNX file"));
}

}  // namespace
}  // namespace tilewright
