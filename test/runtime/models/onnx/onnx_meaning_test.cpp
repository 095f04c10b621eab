// Nodes whose meaning is easily missed: what they compute, or that they are refused.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "onnx/sample_net.hpp"
#include "runtime/network/model/host_network.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

const AffineLayer& only_affine(const NetworkModel& model) {
  REQUIRE(model.layers.size() == 1);
  return std::get<AffineLayer>(model.layers.front());
}

TEST_CASE("integers that are cast to floats are divided as floats") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    auto& whole = s.tensor("whole", {2, 2}, onnx::kInt32);
    for (const int value : {100, 50, 25, 75}) whole.int32_data.push_back(value);
    s.raw("hundred", {}, {100});
    OnnxSample::set(s.node("Cast", {"whole"}, "floats"), "to", std::int64_t{1});
    s.node("Div", {"floats", "hundred"}, "scaled");
    s.node("MatMul", {"x", "scaled"}, "y");
  });
  CHECK(only_affine(sample.read()).weights == std::vector<float>{1.0f, 0.5f, 0.25f, 0.75f});
  const OnnxSample cast = net(2, [](OnnxSample& s) {
    auto& whole = s.tensor("whole", {2, 2}, onnx::kInt32);
    for (const int value : {1, 2, 3, 4}) whole.int32_data.push_back(value);
    OnnxSample::set(s.node("Cast", {"whole"}, "floats"), "to", std::int64_t{1});
    s.node("MatMul", {"x", "floats"}, "y");
  });
  CHECK(only_affine(cast.read()).weights == std::vector<float>{1, 2, 3, 4});
}

// A function Leaky with the attribute "slope", which has a default.
OnnxSample leaky_sample() {
  OnnxSample sample = net(2, [](OnnxSample& s) {
    s.node("MatMul", {"x", "w"}, "h");
    s.node("Leaky", {"h"}, "y").domain = "local";
  });
  auto& function = sample.model.functions.emplace_back();
  function.domain = "local";
  function.name = "Leaky";
  function.input.push_back("a");
  function.output.push_back("b");
  onnx::Node& node = function.node.emplace_back();
  node.op_type = "LeakyRelu";
  node.input.push_back("a");
  node.output.push_back("b");
  onnx::Attribute& alpha = node.attribute.emplace_back();
  alpha.name = "alpha";
  alpha.type = onnx::Attribute::kFloatValue;
  alpha.ref_attr_name = "slope";
  onnx::Attribute& slope = function.attribute_proto.emplace_back();
  slope.name = "slope";
  slope.type = onnx::Attribute::kFloatValue;
  slope.f = 0.5f;
  return sample;
}

TEST_CASE("an attribute of a function has the default of the function") {
  OnnxSample sample = leaky_sample();
  const auto slope = [&] { return std::get<ActivationLayer>(sample.read().layers.back()).slope; };
  CHECK(slope() == 0.5f);
  OnnxSample::set(sample.graph().node[1], "slope", 0.25f);
  CHECK(slope() == 0.25f);
}

TEST_CASE("an attribute whose type is written, but no number, is 0") {
  OnnxSample sample = leaky_sample();
  sample.model.functions.back().attribute_proto.front().f.reset();
  CHECK(std::get<ActivationLayer>(sample.read().layers.back()).slope == 0.0f);
}

TEST_CASE("functions that call each other again and again are refused soon") {
  OnnxSample sample = net(2, [](OnnxSample& s) {
    s.node("MatMul", {"x", "w"}, "h");
    s.node("F0", {"h"}, "y").domain = "local";
  });
  constexpr int kDepth = 30;
  for (int i = 0; i <= kDepth; ++i) {
    auto& function = sample.model.functions.emplace_back();
    function.domain = "local";
    function.name = "F" + std::to_string(i);
    function.input.push_back("a");
    function.output.push_back("b");
    for (int call = 0; call < (i < kDepth ? 2 : 1); ++call) {
      onnx::Node& node = function.node.emplace_back();
      node.op_type = i < kDepth ? "F" + std::to_string(i + 1) : "Relu";
      node.domain = i < kDepth ? "local" : "";
      node.input.push_back(call == 0 ? "a" : "between");
      node.output.push_back(call == 0 && i < kDepth ? "between" : "b");
    }
  }
  CHECK_THAT(sample.said(), ContainsSubstring("calls functions recursively"));
}

TEST_CASE("a function that is large or has many omitted inputs is called until the limit") {
  OnnxSample sample = leaky_sample();
  onnx::Function& function = sample.model.functions[0];
  onnx::Node& inner = function.node[0];
  inner.op_type = "Clip";
  inner.input = {"a", "low", "high"};
  inner.attribute.clear();
  function.input = {"a", "low", "high"};
  CHECK(sample.said().empty());
  for (int i = 0; i < 2000; ++i) {
    function.input.push_back("omitted" + std::to_string(i));
    onnx::Node& unused = function.node.emplace_back();
    unused.op_type = "Identity";
    unused.input = {"a"};
    unused.output = {"unused" + std::to_string(i)};
  }
  CHECK(sample.said().empty());
  onnx::Graph& graph = sample.graph();
  graph.node.pop_back();
  std::vector<std::string> results;
  for (int i = 0; i < 400; ++i) {
    results.push_back(std::to_string(i));
    sample.node("Leaky", {"h"}, results.back()).domain = "local";
  }
  sample.node("Sum", results, "y");
  CHECK_THAT(sample.said(), ContainsSubstring("(Leaky") && ContainsSubstring("too many nodes"));
}

TEST_CASE("a value of a function has only one definition") {
  for (const char* twice : {"a", "b"}) {
    OnnxSample sample = leaky_sample();
    onnx::Node& again = sample.model.functions[0].node.emplace_back();
    again.op_type = "Neg";
    again.input = {"a"};
    again.output = {twice};
    std::ranges::reverse(sample.model.functions[0].node);
    CAPTURE(twice);
    CHECK_THAT(sample.said(), ContainsSubstring("in its function: computes '" + std::string(twice) +
                                                "', which is a value already"));
  }
}

// The bytes of the graph of a sample, as an attribute has them.
std::string graph_bytes(const OnnxSample& sample) {
  onnx::Model model = sample.model;
  model.opset_import.clear();
  model.ir_version = 0;
  const std::string bytes = onnx::encode(model);
  // The graph is the only field of the model: its tag, its length of one or two bytes, its bytes.
  return bytes.substr(bytes.size() > 129 ? 3 : 2);
}

// A branch that applies `op` to the value "h" of the graph outside, with the constant `weights`.
std::string branch_bytes(const std::string& op, const std::vector<float>& weights) {
  OnnxSample branch;
  branch.raw("inner", {2, 2}, weights);
  branch.node("MatMul", {"h", "inner"}, "product");
  branch.node(op, {"product"}, "result");
  branch.output("result", {0, 2});
  return graph_bytes(branch);
}

OnnxSample with_condition(const std::string& condition) {
  return net(2, [&](OnnxSample& s) {
    for (const bool value : {false, true}) {
      s.tensor(value ? "true" : "false", {}, onnx::kBool).int32_data = {value ? 1 : 0};
    }
    s.integers("zero", {0});
    s.integers("two", {2});
    s.integers("columns_axis", {1});
    s.node("Shape", {"x"}, "shape");
    s.node("Gather", {"shape", "zero"}, "rows");
    s.node("Gather", {"shape", "columns_axis"}, "columns");
    s.node("Equal", {"columns", "two"}, "has two");
    s.node("Equal", {"rows", "two"}, "on batch");
    s.node("Greater", {"x", "zero"}, "computed");
    s.node("Neg", {"x"}, "h");
    onnx::Node& node = s.node("If", {condition}, "c", "choice");
    for (const bool is_then : {false, true}) {
      auto& branch = node.attribute.emplace_back();
      branch.name = is_then ? "then_branch" : "else_branch";
      branch.g = kept(branch_bytes(is_then ? "Relu" : "Tanh", {is_then ? 2.0f : 3.0f, 0, 0, 1}));
    }
    s.node("MatMul", {"c", "w"}, "y");
  });
}

TEST_CASE("the branch of a condition that is known is read") {
  const auto layers = [](const char* condition) { return with_condition(condition).read().layers; };
  const auto activation = [](const NetworkLayer& layer) {
    return std::get<ActivationLayer>(layer).activation;
  };
  for (const char* const condition : {"true", "has two"}) {
    INFO(condition);
    const std::vector<NetworkLayer> taken = layers(condition);
    REQUIRE(taken.size() == 3);
    CHECK(std::get<AffineLayer>(taken[0]).weights == std::vector<float>{-2, 0, 0, -1});
    CHECK(activation(taken[1]) == NetworkActivation::kRelu);
  }
  const std::vector<NetworkLayer> other = layers("false");
  REQUIRE(other.size() == 3);
  CHECK(std::get<AffineLayer>(other[0]).weights == std::vector<float>{-3, 0, 0, -1});
  CHECK(activation(other[1]) == NetworkActivation::kTanh);
}

TEST_CASE("a function may have a condition, and outputs that cannot be computed") {
  OnnxSample sample = with_condition("true");
  onnx::Graph& graph = sample.graph();
  onnx::Function& function = sample.model.functions.emplace_back();
  function.domain = "local";
  function.name = "Choose";
  function.input = {"outer", "which"};
  function.output = {"chosen", "other"};
  onnx::Node inner;
  inner.op_type = "Identity";
  inner.input = {"outer"};
  inner.output = {"h"};  // which the branch reads
  function.node.push_back(inner);
  onnx::Node& choice = *std::ranges::find(graph.node, "If", &onnx::Node::op_type);
  function.node.push_back(choice);
  function.node.back().input = {"which"};
  function.node.back().output = {"chosen"};
  inner.op_type = "LSTM";
  inner.output = {"other"};
  function.node.push_back(inner);
  choice = {};
  choice.op_type = "Choose";
  choice.domain = "local";
  choice.input = {"h", "true"};
  choice.output = {"c", "wrong"};
  CHECK(sample.read().layers == with_condition("true").read().layers);
  sample.output("wrong", {0, 2});
  const NetworkModel model = sample.read();
  CHECK(model.outputs.size() == 1);
  REQUIRE(model.skipped_outputs.size() == 1);
  CHECK_THAT(model.skipped_outputs[0].reason,
             ContainsSubstring("(Choose") && ContainsSubstring("'LSTM' in its function"));
}

TEST_CASE("conditions that are not known, and damaged branches, are refused") {
  CHECK_THAT(with_condition("on batch").said(),
             ContainsSubstring("with the number of samples") || ContainsSubstring("the batch"));
  CHECK_THAT(with_condition("computed").said(),
             ContainsSubstring("(If 'choice'): has 'cond' (its input 1) that is not a constant"));
  OnnxSample sample = with_condition("true");
  onnx::Node& node = *std::ranges::find(sample.graph().node, "If", &onnx::Node::op_type);
  node.attribute[1].g = kept(branch_bytes("LSTM", {1, 0, 0, 1}));
  CHECK_THAT(sample.said(), ContainsSubstring("(If 'choice'), 'LSTM' in its branch: operation"));
  node.attribute[1].g = kept(branch_bytes("Relu", {1, 0, 0, 1})).substr(0, 30);
  CHECK_THAT(sample.said(), ContainsSubstring("(If 'choice')"));
  node.attribute.pop_back();
  CHECK_THAT(sample.said(), ContainsSubstring("has no such branch"));
  // A branch that names a value as the graph does: each sees its own.
  sample = with_condition("true");
  std::ranges::find(sample.graph().node, "Equal", &onnx::Node::op_type)->output[0] = "inner";
  sample.graph().node.back().input[0] = "sum";
  sample.node("Where", {"inner", "c", "x"}, "sum");
  std::swap(sample.graph().node.back(), sample.graph().node[sample.graph().node.size() - 2]);
  CHECK(std::get<AffineLayer>(sample.read().layers[0]).weights == std::vector<float>{-2, 0, 0, -1});
  // A branch that needs the result of its own node.
  sample = with_condition("true");
  sample.graph().node[6].input[0] = "c";  // "h"
  CHECK_FALSE(sample.said().empty());
}

TEST_CASE("branches may read the results of other conditions") {
  const auto said = [](int count) {
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.tensor("true", {}, onnx::kBool).int32_data = {1};
      s.node("MatMul", {"x", "w"}, "0");
      for (int i = 0; i < count; ++i) {
        OnnxSample branch;
        branch.node("Relu", {std::to_string(i)}, "result");
        branch.output("result", {0, 2});
        auto& taken = s.node("If", {"true"}, std::to_string(i + 1)).attribute.emplace_back();
        taken.name = "then_branch";
        taken.g = kept(graph_bytes(branch));
      }
      s.node("Neg", {std::to_string(count)}, "y");
    });
    return sample.said();
  };
  CHECK(said(40).empty());
  CHECK_THAT(said(200), ContainsSubstring("(If, output") && ContainsSubstring("conditions"));
}

TEST_CASE("weights that are quantised and back are computed when the file is read") {
  const auto weights = [](onnx::DataType type, const std::vector<std::int64_t>& extents,
                          const std::vector<float>& scales, const std::vector<int>& zeros) {
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.raw("v", {2, 2}, {1.25f, -1.75f, 100, -100});
      s.raw("scale", extents, scales);
      s.tensor("zero", extents, type).int32_data.assign(zeros.begin(), zeros.end());
      s.node("QuantizeLinear", {"v", "scale", "zero"}, "q");
      s.node("DequantizeLinear", {"q", "scale", "zero"}, "d");
      s.node("MatMul", {"x", "d"}, "y");
    });
    return only_affine(sample.read()).weights;
  };
  // Halves are rounded to even numbers, and large numbers to the limits of the type.
  CHECK(weights(onnx::kInt8, {}, {0.5f}, {0}) == std::vector<float>{1, -2, 63.5f, -64});
  CHECK(weights(onnx::kUint8, {}, {0.5f}, {10}) == std::vector<float>{1, -2, 100, -5});
  CHECK(weights(onnx::kInt8, {2}, {0.5f, 1}, {0, 1}) == std::vector<float>{1, -2, 63.5f, -100});
  const OnnxSample computed = net(2, [](OnnxSample& s) {
    s.raw("scale", {}, {0.5f});
    s.node("QuantizeLinear", {"x", "scale"}, "q");
    s.node("DequantizeLinear", {"q", "scale"}, "y");
  });
  CHECK_THAT(computed.said(), ContainsSubstring("node 1 of 2 (QuantizeLinear") &&
                                  ContainsSubstring("of a computed value"));
}

TEST_CASE("scales of blocks are refused") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    s.raw("scale", {1, 2}, {1, 10});
    onnx::Node& node = s.node("DequantizeLinear", {"w", "scale"}, "d");
    OnnxSample::set(node, "axis", std::int64_t{0});
    OnnxSample::set(node, "block_size", std::int64_t{2});
    s.node("MatMul", {"x", "d"}, "y");
  });
  CHECK_THAT(sample.said(), ContainsSubstring("has scales of blocks (block_size)"));
}

TEST_CASE("inputs of integers are computed as floats only where that is the same") {
  const auto divided = [](bool casts_first) {
    OnnxSample sample;
    OnnxSample::describe(sample.graph().input.emplace_back(), "x", {0, 2}, onnx::kInt64);
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
  CHECK_THAT(divided(false), ContainsSubstring("(Div, output 'q'): reads integers"));
}

TEST_CASE("computed integers that may wrap around are refused") {
  const auto said = [](const char* operation, onnx::DataType type) {
    OnnxSample sample;
    OnnxSample::describe(sample.graph().input.emplace_back(), "x", {0, 2}, type);
    sample.raw("w", {2, 2}, {1, 2, 3, 4});
    sample.node(operation, {"x", "x"}, "a");
    OnnxSample::set(sample.node("Cast", {"a"}, "d"), "to", std::int64_t{1});
    sample.node("MatMul", {"d", "w"}, "y");
    sample.output("y", {0, 2});
    return sample.said();
  };
  CHECK_THAT(said("Sub", onnx::kUint8),
             ContainsSubstring("(Sub, output 'a'): computes with small"));
  CHECK_THAT(said("Mul", onnx::kInt8), ContainsSubstring("cast its inputs to FLOAT"));
  CHECK(said("Max", onnx::kUint8).empty());
  CHECK(said("Sub", onnx::kInt64).empty());
}

TEST_CASE("the mean of constant integers is an integer") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    s.integers("numbers", {1, 2});
    s.node("ReduceMean", {"numbers"}, "m");
    OnnxSample::set(s.node("Cast", {"m"}, "c"), "to", std::int64_t{1});
    s.node("MatMul", {"x", "w"}, "h");
    s.node("Mul", {"h", "c"}, "y");
  });
  CHECK(only_affine(sample.read()).weights == std::vector<float>{1, 2, 3, 4});
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

TEST_CASE("errors name what cannot be run, not a first attempt") {
  // W x, which only a sample that is a column allows, and then an unsupported node.
  OnnxSample column;
  column.input("x", {2, 1});
  column.raw("w", {2, 2}, {1, 2, 3, 4});
  column.node("MatMul", {"w", "x"}, "h");
  column.node("LSTM", {"h"}, "y");
  column.output("y", {2, 1});
  CHECK_THAT(column.said(), ContainsSubstring("operation 'LSTM' is not supported"));
  // A product of computed values after a layer of a vector.
  OnnxSample vector;
  vector.input("x", {2});
  vector.input("h", {1, 2});
  vector.raw("w", {2, 2}, {1, 2, 3, 4});
  vector.node("MatMul", {"x", "w"}, "f", "layer");
  vector.node("MatMul", {"h", "f"}, "y", "product");
  vector.output("y", {1});
  CHECK_THAT(vector.said(), ContainsSubstring("(MatMul 'product'): multiplies two computed"));
}

TEST_CASE("messages about extents do not contradict themselves") {
  OnnxSample grid;
  grid.input("x", {0, 8, 8});
  grid.raw("c", {64}, std::vector<float>(64, 1.0f));
  grid.node("Add", {"x", "c"}, "y");
  grid.output("y", {0, 8, 8});
  CHECK_THAT(grid.said(), ContainsSubstring("which is 64, with a value of batch x 8 x 8"));
  const OnnxSample stack = net(2, [](OnnxSample& s) {
    s.raw("e", {3, 1, 2, 2}, std::vector<float>(12, 1.0f));
    s.node("MatMul", {"x", "e"}, "y");
  });
  CHECK_THAT(stack.said(),
             ContainsSubstring("3 x 1 x 2 x 2") && ContainsSubstring("a MatMul for each"));
  const OnnxSample column = net(2, [](OnnxSample& s) {
    s.raw("b", {2, 1}, {1, 2});
    s.node("Gemm", {"x", "w", "b"}, "y");
  });
  CHECK_THAT(column.said(), ContainsSubstring("which is 2 x 1") && ContainsSubstring("2 or 1 x 2"));
}

TEST_CASE("a reduction without axes may apply only its function") {
  const auto layers = [](const char* operation) {
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.node("MatMul", {"x", "w"}, "h");
      OnnxSample::set(s.node(operation, {"h"}, "y"), "noop_with_empty_axes", std::int64_t{1});
    });
    return sample.read().layers.size();
  };
  CHECK(layers("ReduceSum") == 1);
  CHECK(layers("ReduceMax") == 1);
  CHECK(layers("ReduceSumSquare") == 3);  // the square, and sums of one element each
  CHECK(layers("ReduceL1") == 3);
}

TEST_CASE("missing values are replaced by constants") {
  const auto result = [](const OnnxSample& sample, const std::vector<double>& x) {
    return host_forward_all(sample.read(), {x}, 2).front();
  };
  const auto imputer = [](float replaced, const std::vector<float>& values) {
    return net(2, [&](OnnxSample& s) {
      onnx::Node& node = s.node("Imputer", {"x"}, "y");
      node.domain = "ai.onnx.ml";
      OnnxSample::set(node, "replaced_value_float", replaced);
      auto& attribute = node.attribute.emplace_back();
      attribute.name = "imputed_value_floats";
      attribute.floats = values;
    });
  };
  const std::vector<double> x = {NAN, 2, -1, NAN};
  CHECK(result(imputer(NAN, {5, 6}), x) == std::vector<double>{5, 2, -1, 6});
  CHECK(result(imputer(NAN, {7}), x) == std::vector<double>{7, 2, -1, 7});
  CHECK(result(imputer(-1, {5, 6}), {-1, 2, 0, -1}) == std::vector<double>{5, 2, 0, 6});
  const OnnxSample by_hand = net(2, [](OnnxSample& s) {
    s.raw("v", {2}, {5, 6});
    s.node("IsNaN", {"x"}, "is missing");
    s.node("Where", {"is missing", "v", "x"}, "y");
  });
  CHECK(result(by_hand, x) == std::vector<double>{5, 2, -1, 6});
  CHECK_THAT(imputer(NAN, {1, 2, 3}).said(), ContainsSubstring("(Imputer"));
  CHECK_THAT(imputer(NAN, {}).said(), ContainsSubstring("imputed_value_floats"));
}

TEST_CASE("the norm MAX is the largest element") {
  OnnxSample sample;
  sample.input("x", {0, 2});
  sample.node("Normalizer", {"x"}, "y").domain = "ai.onnx.ml";
  sample.output("y", {0, 2});
  const NetworkModel model = sample.read();
  REQUIRE(model.layers.size() == 3);
  CHECK(model.layers[0] == NetworkLayer(OperationLayer{"", NetworkOperation::kLargest, {{}}, {1}}));
}

TEST_CASE("weights may have leading dimensions of one element") {
  for (const bool is_folded : {false, true}) {
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.raw("w3", {1, 2, 2}, {1, 2, 3, 4});
      s.raw("one", {1}, {1});
      s.integers("axis", {0});
      s.node("Mul", {"w3", "one"}, "folded");
      s.node("MatMul", {"x", is_folded ? "folded" : "w3"}, "h");  // 1 x batch x 2
      s.node("Squeeze", {"h", "axis"}, "y");
    });
    CHECK(only_affine(sample.read()).weights == std::vector<float>{1, 2, 3, 4});
  }
}

TEST_CASE("many nodes may use the same constant row") {
  const std::int64_t columns = 64;
  OnnxSample sample;
  sample.input("x", {0, columns});
  sample.raw("c", {columns}, std::vector<float>(64, 0.5f));
  sample.node("Tanh", {"x"}, "h0");
  for (int i = 0; i < 100; ++i) {
    sample.node("Mul", {"h" + std::to_string(i), "c"}, "m" + std::to_string(i));
    sample.node("Tanh", {"m" + std::to_string(i)}, "h" + std::to_string(i + 1));
  }
  sample.output("h100", {0, columns});
  CHECK(sample.read().layers.size() == 201);
}

TEST_CASE("names inside of functions differ from those outside") {
  OnnxSample sample = leaky_sample();
  onnx::Function& function = sample.model.functions[0];
  function.node[0].output[0] = "inner";
  onnx::Node& last = function.node.emplace_back();
  last.op_type = "Identity";
  last.input.push_back("inner");
  last.output.push_back("b");
  // Values of the graph with the names that values inside of the first function call would have.
  onnx::Graph& graph = sample.graph();
  for (const std::string name : {"1/inner", "function1/inner"}) {
    graph.node[0].output[0] = name;
    graph.node[1].input[0] = name;
    CHECK(sample.read().layers.size() == 2);
  }
  // A constant that nothing reads.
  graph.node[0].output[0] = graph.node[1].input[0] = "h";
  sample.raw("function1/inner", {2, 2}, {9, 9, 9, 9});
  CHECK(sample.read().layers.size() == 2);
}

TEST_CASE("a part without elements may be unused") {
  const auto part = [](const char* used) {
    return net(2, [&](OnnxSample& s) {
      s.integers("sizes", {0, 2});
      onnx::Node& split = s.node("Split", {"x", "sizes"}, "none");
      split.output.push_back("all");
      OnnxSample::set(split, "axis", std::int64_t{1});
      s.node("MatMul", {used, "w"}, "y");
    });
  };
  CHECK(part("all").said().empty());
  CHECK_FALSE(part("none").said().empty());
}

TEST_CASE("a perm that is no permutation is refused") {
  const OnnxSample sample = net(2, [](OnnxSample& s) {
    onnx::Attribute& perm = s.node("Transpose", {"w"}, "t").attribute.emplace_back();
    perm.name = "perm";
    perm.ints = {1, 7};
    s.node("MatMul", {"x", "t"}, "y");
  });
  CHECK_THAT(sample.said(), ContainsSubstring("its perm is 1, 7, which is not a permutation"));
}

TEST_CASE("a perm of two dimensions is refused for constants that have others") {
  for (const auto& extents : std::vector<std::vector<std::int64_t>>{{}, {2}, {1, 2, 2}}) {
    CAPTURE(extents.size());
    const OnnxSample sample = net(2, [&](OnnxSample& s) {
      s.raw("c", extents, std::vector<float>(extents.empty() ? 1 : extents.size() == 1 ? 2 : 4));
      onnx::Attribute& perm = s.node("Transpose", {"c"}, "t").attribute.emplace_back();
      perm.name = "perm";
      perm.ints = {1, 0};
      s.node("Add", {"x", "t"}, "y");
    });
    CHECK_THAT(sample.said(), ContainsSubstring("(Transpose, output 't'): its perm is 1, 0"));
  }
}

TEST_CASE("weights in another file justify constants, as those in the file do") {
  const TemporaryFolder folder;
  OnnxSample sample;
  sample.input("x", {0, 256});
  onnx::Tensor& weights = sample.tensor("w", {256, 256}, onnx::kFloat);
  weights.data_location = onnx::Tensor::kExternal;
  auto& location = weights.external_data.emplace_back();
  location.key = "location";
  location.value = "net.data";
  written(folder, "net.data", std::string(256 * 256 * 4, '\0'));
  sample.raw("half", {}, {0.5f});
  sample.node("Mul", {"w", "half"}, "m");
  sample.node("MatMul", {"x", "m"}, "y");
  sample.output("y", {0, 256});
  const NetworkModel model = read_network_model(written(folder, "net.onnx", sample.bytes()));
  CHECK(model.layers.size() == 1);
}

TEST_CASE("CastLike casts as Cast does to the type of its second input") {
  const auto cast = [](onnx::DataType type) {
    return net(2, [&](OnnxSample& s) {
      auto& like = s.tensor("like", {1}, type);
      if (type == onnx::kFloat) {
        like.float_data = {1.0f};
      } else if (type == onnx::kInt64) {
        like.int64_data = {1};
      } else {
        like.int32_data = {1};
      }
      s.node("CastLike", {"x", "like"}, "c");
      s.node("MatMul", {"c", "w"}, "y");
    });
  };
  CHECK(only_affine(cast(onnx::kFloat).read()).weights == std::vector<float>{1, 2, 3, 4});
  CHECK_THAT(cast(onnx::kInt8).said(), ContainsSubstring("casts FLOAT to INT8"));
  const std::vector<std::vector<double>> x = {{-0.5, 0.0}};
  CHECK(host_forward_all(cast(onnx::kBool).read(), x, 1).front() == std::vector<double>{1, 2});
  OnnxSample integers = net(2, [](OnnxSample& s) {
    s.raw("like", {1}, {1.0f});
    s.node("CastLike", {"x", "like"}, "c");
    s.node("Sqrt", {"c"}, "y");
  });
  CHECK(integers.said().empty());
  OnnxSample::describe(integers.graph().input[0], "x", {0, 2}, onnx::kInt64);
  CHECK(integers.said().empty());
}

TEST_CASE("a batch size of 1 counts only if all inputs have it") {
  const auto sample = [](std::int64_t batch, bool other_first) {
    OnnxSample s;
    s.input("x", {batch, 4});
    s.input("s", {1, 4});
    s.integers("zero", {0});
    if (other_first) s.node("Neg", {"s"}, "n");
    OnnxSample::set(s.node("Gather", {"x", "zero"}, "g"), "axis", std::int64_t{0});
    if (!other_first) s.node("Neg", {"s"}, "n");
    s.node("Add", {"g", "n"}, "y");
    s.output("y", {1, 4});
    return s;
  };
  for (const bool other_first : {false, true}) {
    INFO(other_first);
    CHECK(sample(1, other_first).said().empty());
    CHECK_FALSE(sample(0, other_first).said().empty());
  }
}

TEST_CASE("an operator computes the same of a constant and of a computed value") {
  const std::vector<double> v = {-1.75, 0.5, 2.25};
  for (const char* op : {"Abs",        "Celu",
                         "Elu",        "Erf",
                         "Exp",        "Gelu",
                         "HardSwish",  "HardSigmoid",
                         "LeakyRelu",  "LogSoftmax",
                         "Mish",       "Neg",
                         "Relu",       "Selu",
                         "Shrink",     "Sigmoid",
                         "Softmax",    "Softplus",
                         "Softsign",   "Swish",
                         "Tanh",       "ReduceL1",
                         "ReduceL2",   "ReduceLogSumExp",
                         "ReduceMax",  "ReduceMean",
                         "ReduceProd", "ReduceSum",
                         "ArgMax",     "LpNormalization",
                         "Round",      "Sign",
                         "ReduceMin",  "ThresholdedRelu"}) {
    INFO(op);
    const auto result = [&](bool is_constant) {
      OnnxSample s;
      s.model.opset_import[0].version = 20;
      s.input("x", {0, 3});
      s.raw("v", {1, 3}, {v.begin(), v.end()});
      s.raw("zero", {}, {0});
      s.node("Mul", {"x", "zero"}, "zeros");
      onnx::Node& node = s.node(op, {is_constant ? "v" : "x"}, "r");
      const std::string name = op;
      if (name.starts_with("Reduce")) {
        s.integers("axis", {1});
        node.input.emplace_back("axis");
      } else if (name == "ArgMax") {
        OnnxSample::set(node, "axis", std::int64_t{1});
      }
      OnnxSample::set(s.node("Cast", {"r"}, "f"), "to", std::int64_t{1});
      s.node("Add", {"zeros", "f"}, "y");
      s.output("y", {0, 3});
      return host_forward_all(s.read(), {v}, 1).front();
    };
    const std::vector<double> folded = result(true);
    const std::vector<double> computed = result(false);
    REQUIRE(folded.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) CHECK(folded[i] == Approx(computed[i]).epsilon(1e-6));
  }
}

}  // namespace
}  // namespace tilewright
