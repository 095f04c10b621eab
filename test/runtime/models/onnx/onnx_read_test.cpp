#include <cmath>

#include "onnx/graph_rows.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("networks exported by skl2onnx are read, and the output is the probabilities") {
  CHECK(sklearn_sample(false).read() == sklearn_model());
  CHECK(sklearn_sample(true).read() == sklearn_model());
}

TEST_CASE("Gemm with transB, alpha, beta and every shape of bias is read") {
  const auto with_bias = [](const std::string& bias) { return "c" + bias + "; y = Gemm(x,w,c)"; };
  const std::string place = "node 1 of 1 (Gemm, output 'y')";
  check({gives("y = Gemm(x,w,b)", {{1, 10}}, {36, 48}, 1),
         gives("y = Gemm(x,w,b) transB=1 alpha=2.0 beta=-1.0", {{1, 10}}, {37, 80}, 1),
         gives("y = Gemm(x,w)", {{1, 10}}, {31, 42}, 1),
         // An empty name stands for an optional input that is not given.
         gives("y = Gemm(x,w,)", {{1, 10}}, {31, 42}, 1),
         gives(with_bias("[1,2] = 7 8"), {{1, 10}}, {38, 50}, 1),
         gives(with_bias("[] = 7"), {{1, 10}}, {38, 49}, 1),
         gives(with_bias("[1] = 7"), {{1, 10}}, {38, 49}, 1),
         gives(with_bias("[1,1] = 7"), {{1, 10}}, {38, 49}, 1),
         refused(with_bias("[3] = 7 8 9"), place, "'c', which is 3"),
         refused(with_bias("[2,1] = 7 8"), place, "2 x 1"),
         refused(with_bias("[1,1,2] = 7 8"), place, "1 x 1 x 2"),
         refused(with_bias("[0] ="), place, "which is 0"),
         // MatMul and Add in any order of operands, also with several Adds.
         gives("p = MatMul(x,w); s = Add(b,p); y = Add(s,half)", {{1, 10}}, {36.5, 48.5}, 1)});
}

TEST_CASE("activations are read in turn, and nodes that add no layer") {
  const double a = std::tanh(1 / (1 + std::exp(-1.0)));
  const double b = std::tanh(1 / (1 + std::exp(0.005)));
  check(
      {gives("x[N,1,2,1] => y:DOUBLE[N,2]; c[2,2] = 1 -2 3 -4; shape:INT64[2] = -1 2; "
             "no:BOOL[] = 0; r = Relu(x); flat = Reshape(r,shape); d, mask = Dropout(flat,,no); "
             "i = Identity(d); h = MatMul(i,c); l = LeakyRelu(h); m = LeakyRelu(l) alpha=0.25; "
             "s = Sigmoid(m); t = Tanh(s); p = Softmax(t); y = Cast(p) to=11",
             {{1, -10}}, {1 / (1 + std::exp(b - a)), 1 / (1 + std::exp(a - b))}, 7)});
}

AffineLayer only_layer(const OnnxSample& sample) {
  const NetworkModel model = sample.read();
  REQUIRE(model.layers.size() == 1);
  return std::get<AffineLayer>(model.layers[0]);
}

TEST_CASE("half-precision weights and biases are read from bytes and fields") {
  OnnxSample sample = graph(
      "x[N,2] => y:FLOAT16[N,2]; w:FLOAT16[2,2] =; b:FLOAT16[2] = 0x3800 0xb400; "
      "h = Cast(x) to=10; p = MatMul:fc(h,w); y = Add(p,b)");
  // 1, -2, 65504 and the smallest denormal number, little-endian.
  sample.graph().initializer[0].raw_data = std::string_view("\x00\x3c\x00\xc0\xff\x7b\x01\x00", 8);
  CHECK(only_layer(sample) ==
        AffineLayer{"fc", 2, 2, {1.0f, -2.0f, 65504.0f, std::ldexp(1.0f, -24)}, {0.5f, -0.25f}});
}

TEST_CASE("BFLOAT16 weights and biases are read from bytes and fields, and constants are rounded") {
  // 257 and 259 lie between numbers with 8 bits.
  OnnxSample sample = graph(
      "w:BFLOAT16[2,2] =; b:BFLOAT16[2] = 0x3f00 0xbe80; c[2] = 257 259; "
      "r = Cast(c) to=16; d = Cast(r) to=1; wide = Cast(w) to=1; "
      "short = Cast(x) to=16; h = Gemm(short,wide,b); y = Add(h,d)");
  // 1, -2, the largest number and the smallest one, little-endian.
  sample.graph().initializer[0].raw_data = std::string_view("\x80\x3f\x00\xc0\x7f\x7f\x01\x00", 8);
  CHECK(only_layer(sample) ==
        AffineLayer{"",
                    2,
                    2,
                    {1.0f, -2.0f, std::ldexp(255.0f, 120), std::ldexp(1.0f, -133)},
                    {256.5f, 259.75f}});
  sample.graph().initializer[1].int32_data[0] = 0x13f00;
  CHECK_THAT(sample.said(), ContainsSubstring("'b'") && ContainsSubstring("81664"));
}

TEST_CASE("constants computed by Constant, Identity, Transpose and Cast are read") {
  const auto sample = [](const std::string& extents, const std::string& attributes) {
    OnnxSample s = graph("x[N,3] => y[N,2]; c" + extents +
                         " = 1 2 3 4 5 6; k = Constant(); same = Identity(c); "
                         "turned = Transpose(same) perm=[1,0]; cast = Cast(k) to=1; "
                         "y = Gemm(x,turned,cast) " +
                         attributes);
    auto& attribute = s.graph().node[0].attribute.emplace_back();
    attribute.name = "value";
    onnx::Tensor value;
    value.data_type = onnx::kDouble;
    value.dims = {2};
    value.double_data = {0.1, 8.0};
    attribute.t = std::make_shared<onnx::Tensor>(value);
    return s;
  };
  CHECK(only_layer(sample("[2,3]", "")) == AffineLayer{"", 3, 2, {1, 4, 2, 5, 3, 6}, {0.1f, 8}});
  // Transposed twice: by the node and by transB.
  CHECK(only_layer(sample("[3,2]", "transB=1")).weights == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("reshapes that keep one row per sample are read") {
  const auto reshaped = [](const std::string& from, const std::string& to) {
    return "x[" + from + "] => y[N,1]; shape:INT64[" + std::to_string(split(to, ' ').size()) +
           "] = " + to + "; c[4,1] = 1 2 3 4; r = Reshape(x,shape); y = MatMul(r,c)";
  };
  const std::vector<std::pair<const char*, const char*>> keep = {
      {"N,2,2", "-1 4"}, {"N,2,2", "0 -1"}, {"1,1,2,2", "1 -1"}, {"N,4", "0 0"}, {"4,4", "4 -1"},
      {"4,2,2", "4 4"},  {"4,2,2", "-1 4"}, {"N,4", "4 4"},      {"N,4", "4 0"}};
  for (const auto& [from, to] : keep)
    check({gives(reshaped(from, to), {{1, 10, 100, 1000}}, {4321})});
  const auto is_refused = [&](const char* from, const char* to, const char* keyword) {
    return refused(reshaped(from, to), "node 1 of 2 (Reshape, output 'r')", keyword);
  };
  // The first shapes join or split samples for all batch sizes but one.
  check({is_refused("N,4", "4 -1", "leaves open"), is_refused("N,2,2", "4 -1", "leaves open"),
         is_refused("N,N", "4 -1", "leaves open"), is_refused("N,N", "4 4", "leaves open"),
         is_refused("N,4", "1 -1", "1 rows"), is_refused("8,4", "4 -1", "size is 8"),
         is_refused("N,4", "-1 2", "-1 x 2 of samples of 4"),
         is_refused("4,4", "4 2", "4 x 2 of samples of 4"), is_refused("N,2,2", "0 0", "0 x 0"),
         is_refused("N,4,2", "-1 4", "samples of 8"), is_refused("N,4", "-1 -1", "-1 x -1"),
         is_refused("N,4", "-2 4", "-2 x 4"),
         refused(reshaped("N,4", "-1 2 2"), "node 2 of 2 (MatMul, output 'y')", "rows of 2"),
         refused(reshaped("N,3", "-1 3"), "node 2 of 2 (MatMul, output 'y')", "rows of 3")});
}

TEST_CASE("a product of three dimensions multiplies each row of a sample") {
  const auto rows = [](const std::string& x) { return x + " => y[N,3,2]; y = MatMul:rows(x,w)"; };
  // Three selections and three products in turn, then a concatenation.
  check({gives(rows("x[N,3,2]"), {{1, 10, -6, 1, 1, 0}}, {31, 42, -3, -8, 1, 2}, 7),
         gives(rows("x[N,1,2]"), {{1, 10}}, {31, 42}, 1),
         refused(rows("x[N,3,4]"), "(MatMul 'rows')", "rows of 2"),
         refused(rows("x[N,17,2]"), "(MatMul 'rows')", "at most 16"),
         refused(rows("x[N,N,2]"), "(MatMul 'rows')", "unknown number of rows")});
}

TEST_CASE("inputs have the order of the graph, whichever node takes them first") {
  const OnnxSample sample = graph(
      "unused[N,9], state[N,2], action[N,2] => y[N,1]; c[2,1] = 1 2; "
      "d = Sub(action,state); y = MatMul(d,c)");
  const NetworkModel model = sample.read();
  REQUIRE(model.inputs.size() == 2);
  CHECK(model.inputs[0].name == "state");
  CHECK(model.inputs[1].name == "action");
  CHECK(host_forward_all(model, {{1, 2}, {10, 20}}, 1).front() == std::vector<double>{45});
}

TEST_CASE("a model in memory is the model of the file") {
  const OnnxSample sample = pytorch_sample();
  const std::string bytes = sample.bytes();
  CHECK(read_network_model(bytes.data(), bytes.size()) == sample.read());
  const auto said = [](const void* data, std::size_t size) {
    return refusal<ModelError>([&] { read_network_model(data, size); });
  };
  CHECK_THAT(said(bytes.data(), bytes.size() / 2), ContainsSubstring("in memory: is not an ONNX"));
  CHECK_THAT(said(nullptr, 1), ContainsSubstring("no data"));
  CHECK_THAT(said(nullptr, 0), ContainsSubstring("in memory: is not an ONNX"));
}

}  // namespace
}  // namespace tilewright
