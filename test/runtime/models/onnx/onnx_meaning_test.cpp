// Nodes whose meaning is easily missed: what they compute, or that they are refused.
#include <limits>

#include "catch.hpp"
#include "onnx/onnx_sample.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// "x" (batch x `columns`), what `nodes` make of it and of the weights "w" (2 x 2), to "y".
template <class Nodes>
OnnxSample net(std::int64_t columns, const Nodes& nodes) {
  OnnxSample sample;
  sample.input("x", {0, columns});
  sample.raw("w", {2, 2}, {1, 2, 3, 4});
  nodes(sample);
  sample.output("y", {0, 2});
  return sample;
}

const AffineLayer& only_affine(const MlpModel& model) {
  REQUIRE(model.layers.size() == 1);
  return std::get<AffineLayer>(model.layers.front());
}

TEST_CASE("integers that are cast to floats are divided as floats") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    auto& whole = s.tensor("whole", {2, 2}, onnx::TensorProto::INT32);
    for (const int value : {100, 50, 25, 75}) whole.add_int32_data(value);
    s.raw("hundred", {}, {100});
    OnnxSample::set(s.node("Cast", {"whole"}, "floats"), "to", std::int64_t{1});
    s.node("Div", {"floats", "hundred"}, "scaled");
    s.node("MatMul", {"x", "scaled"}, "y");
  });
  CHECK(only_affine(sample.read()).weights == std::vector<float>{1.0f, 0.5f, 0.25f, 0.75f});
  const OnnxSample cast = net(2, [](OnnxSample& s) {
    auto& whole = s.tensor("whole", {2, 2}, onnx::TensorProto::INT32);
    for (const int value : {1, 2, 3, 4}) whole.add_int32_data(value);
    OnnxSample::set(s.node("Cast", {"whole"}, "floats"), "to", std::int64_t{1});
    s.node("MatMul", {"x", "floats"}, "y");
  });
  CHECK(only_affine(cast.read()).weights == std::vector<float>{1, 2, 3, 4});
}

// x, reshaped to (`factor` times the batch size) x -1, and multiplied by w.
std::string said_of_reshape(const char* operation, std::int64_t operand, std::int64_t columns) {
  return net(columns,
             [&](OnnxSample& s) {
               s.integers("zero", {0});
               s.integers("operand", {operand});
               s.integers("rest", {-1});
               s.node("Shape", {"x"}, "shape");
               s.node("Gather", {"shape", "zero"}, "batch");
               s.node(operation, {"batch", "operand"}, "rows");
               OnnxSample::set(s.node("Concat", {"rows", "rest"}, "extents"), "axis",
                               std::int64_t{0});
               s.node("Reshape", {"x", "extents"}, "r");
               s.node("MatMul", {"r", "w"}, "y");
             })
      .said();
}

TEST_CASE("a multiple of the batch size is not the batch size") {
  CHECK(said_of_reshape("Mul", 1, 2).empty());
  CHECK(said_of_reshape("Div", 1, 2).empty());
  CHECK(said_of_reshape("Add", 0, 2).empty());
  CHECK(said_of_reshape("Max", 1, 2).empty());
  const char* const unknown = "computes with the number of samples";
  CHECK_THAT(said_of_reshape("Mul", 2, 4), ContainsSubstring(unknown));
  CHECK_THAT(said_of_reshape("Div", 2, 2), ContainsSubstring(unknown));
  CHECK_THAT(said_of_reshape("Sub", 1, 2), ContainsSubstring(unknown));
  CHECK_THAT(said_of_reshape("Max", 2, 2), ContainsSubstring(unknown));
  CHECK_THAT(said_of_reshape("Min", 2, 2), ContainsSubstring(unknown));
}

// A function Leaky with the attribute "slope", which has a default.
OnnxSample leaky_sample() {
  OnnxSample sample = net(2, [](OnnxSample& s) {
    s.node("MatMul", {"x", "w"}, "h");
    s.node("Leaky", {"h"}, "y").set_domain("local");
  });
  auto& function = *sample.model.add_functions();
  function.set_domain("local");
  function.set_name("Leaky");
  function.add_input("a");
  function.add_output("b");
  onnx::NodeProto& node = *function.add_node();
  node.set_op_type("LeakyRelu");
  node.add_input("a");
  node.add_output("b");
  onnx::AttributeProto& alpha = *node.add_attribute();
  alpha.set_name("alpha");
  alpha.set_type(onnx::AttributeProto::FLOAT);
  alpha.set_ref_attr_name("slope");
  onnx::AttributeProto slope;
  slope.set_name("slope");
  slope.set_type(onnx::AttributeProto::FLOAT);
  slope.set_f(0.5f);
  // The field attribute_proto, which older versions of the library do not know.
  function.GetReflection()->MutableUnknownFields(&function)->AddLengthDelimited(
      11, slope.SerializeAsString());
  return sample;
}

TEST_CASE("an attribute of a function has the default of the function") {
  OnnxSample sample = leaky_sample();
  const auto slope = [&] { return std::get<ActivationLayer>(sample.read().layers.back()).slope; };
  CHECK(slope() == 0.5f);
  OnnxSample::set(*sample.graph().mutable_node(1), "slope", 0.25f);
  CHECK(slope() == 0.25f);
}

TEST_CASE("functions that call each other again and again are refused soon") {
  OnnxSample sample = net(2, [](OnnxSample& s) {
    s.node("MatMul", {"x", "w"}, "y");
    s.node("F0", {"x"}, "unused").set_domain("local");
  });
  constexpr int kDepth = 30;
  for (int i = 0; i <= kDepth; ++i) {
    auto& function = *sample.model.add_functions();
    function.set_domain("local");
    function.set_name("F" + std::to_string(i));
    function.add_input("a");
    function.add_output("b");
    for (int call = 0; i < kDepth && call < 2; ++call) {
      onnx::NodeProto& node = *function.add_node();
      node.set_op_type("F" + std::to_string(i + 1));
      node.set_domain("local");
      node.add_input("a");
      node.add_output("b" + std::to_string(call));
    }
  }
  CHECK_THAT(sample.said(), ContainsSubstring("calls functions recursively"));
}

TEST_CASE("scales of blocks are refused") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    s.raw("scale", {1, 2}, {1, 10});
    onnx::NodeProto& node = s.node("DequantizeLinear", {"w", "scale"}, "d");
    OnnxSample::set(node, "axis", std::int64_t{0});
    OnnxSample::set(node, "block_size", std::int64_t{2});
    s.node("MatMul", {"x", "d"}, "y");
  });
  CHECK_THAT(sample.said(), ContainsSubstring("has scales of blocks (block_size)"));
}

TEST_CASE("inputs of integers are computed as floats only where that is the same") {
  const auto divided = [](bool casts_first) {
    OnnxSample sample;
    OnnxSample::describe(*sample.graph().add_input(), "x", {0, 2}, onnx::TensorProto::INT64);
    sample.raw("w", {2, 2}, {1, 2, 3, 4});
    sample.raw("two", {}, {2});
    sample.integers("whole", {2});
    if (casts_first) {
      OnnxSample::set(sample.node("Cast", {"x"}, "f"), "to", std::int64_t{1});
      sample.node("Div", {"f", "two"}, "d");
    } else {
      sample.node("Add", {"x", "whole"}, "a");
      sample.node("Div", {"a", "whole"}, "q");
      OnnxSample::set(sample.node("Cast", {"q"}, "d"), "to", std::int64_t{1});
    }
    sample.node("MatMul", {"d", "w"}, "y");
    sample.output("y", {0, 2});
    return sample.said();
  };
  CHECK(divided(true).empty());
  CHECK_THAT(divided(false), ContainsSubstring("(Div): reads integers"));
}

TEST_CASE("samples are not repeated") {
  const auto expanded = [](std::int64_t rows) {
    return net(2,
               [&](OnnxSample& s) {
                 s.integers("to", {rows, 2});
                 s.node("MatMul", {"x", "w"}, "h");
                 s.node("Expand", {"h", "to"}, "y");
               })
        .said();
  };
  CHECK(expanded(1).empty());
  CHECK_THAT(expanded(4), ContainsSubstring("(Expand): moves or selects samples"));
}

TEST_CASE("CastLike gives a constant the type of a computed value") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    s.integers("two", {2});
    s.node("CastLike", {"two", "x"}, "c");
    s.node("MatMul", {"x", "w"}, "h");
    s.node("Mul", {"h", "c"}, "y");
  });
  CHECK(only_affine(sample.read()).weights == std::vector<float>{2, 4, 6, 8});
}

TEST_CASE("extents of 0 and sizes beyond 64 bits are errors of the model") {
  constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
  CHECK_FALSE(net(4,
                  [](OnnxSample& s) {
                    s.integers("starts", {0, 0});
                    s.integers("ends", {0, std::numeric_limits<std::int32_t>::max()});
                    s.integers("axes", {1, 0});
                    s.node("Slice", {"x", "starts", "ends", "axes"}, "y");
                  })
                  .said()
                  .empty());
  CHECK_FALSE(net(4,
                  [](OnnxSample& s) {
                    s.raw("none", {2, 0}, {});
                    s.integers("first", {0});
                    s.node("Gather", {"none", "first"}, "g");
                    s.node("Concat", {"x", "g"}, "y");
                  })
                  .said()
                  .empty());
  CHECK_THAT(net(4,
                 [](OnnxSample& s) {
                   s.integers("sizes", {kMaxInt64 - 1, kMaxInt64 - 1, 4, 4});
                   OnnxSample::set(s.node("Split", {"x", "sizes"}, "y"), "axis", std::int64_t{1});
                 })
                 .said(),
             ContainsSubstring("splits 4 elements into"));
  CHECK_FALSE(net(4,
                  [](OnnxSample& s) {
                    s.integers("starts", {0});
                    s.integers("ends", {4});
                    s.integers("axes", {1});
                    s.integers("steps", {kMaxInt64});
                    s.node("Slice", {"x", "starts", "ends", "axes", "steps"}, "s");
                    s.node("MatMul", {"s", "w"}, "y");
                  })
                  .said()
                  .empty());
}

TEST_CASE("weights in another file justify constants, as those in the file do") {
  const TemporaryFolder folder;
  OnnxSample sample;
  sample.input("x", {0, 256});
  onnx::TensorProto& weights = sample.tensor("w", {256, 256}, onnx::TensorProto::FLOAT);
  weights.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& location = *weights.add_external_data();
  location.set_key("location");
  location.set_value("net.data");
  written(folder, "net.data", std::string(256 * 256 * 4, '\0'));
  sample.raw("half", {}, {0.5f});
  sample.node("Mul", {"w", "half"}, "m");
  sample.node("MatMul", {"x", "m"}, "y");
  sample.output("y", {0, 256});
  const MlpModel model = read_mlp_model(written(folder, "net.onnx", sample.bytes()));
  CHECK(model.layers.size() == 1);
}

}  // namespace
}  // namespace tilewright
