// Nodes that have nodes inside: calls of functions, and conditions that are known.
#include <algorithm>

#include "onnx/graph_rows.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// Adds a function of the domain "local".
onnx::Function& add_function(OnnxSample& sample, const std::string& name,
                             const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs, const std::string& nodes) {
  onnx::Function& function = sample.model.functions.emplace_back();
  function.domain = "local";
  function.name = name;
  function.input = inputs;
  function.output = outputs;
  function.node = graph(nodes).graph().node;
  return function;
}

// A function Leaky with the attribute "slope", which has a default.
OnnxSample leaky_sample() {
  OnnxSample sample = graph("h = MatMul(x,w); y = local.Leaky(h)");
  onnx::Function& function = add_function(sample, "Leaky", {"a"}, {"b"}, "b = LeakyRelu(a)");
  onnx::Attribute& alpha = function.node[0].attribute.emplace_back();
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
  OnnxSample sample = graph("h = MatMul(x,w); y = local.F0(h)");
  constexpr int kDepth = 30;
  for (int i = 0; i < kDepth; ++i) {
    const std::string next = "local.F" + std::to_string(i + 1);
    add_function(sample, "F" + std::to_string(i), {"a"}, {"b"},
                 "between = " + next + "(a); b = " + next + "(between)");
  }
  add_function(sample, "F" + std::to_string(kDepth), {"a"}, {"b"}, "b = Relu(a)");
  CHECK_THAT(sample.said(), ContainsSubstring("recursively"));
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
  sample.graph().node.pop_back();
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
    sample.model.functions[0].node.push_back(
        graph(std::string(twice) + " = Neg(a)").graph().node[0]);
    std::ranges::reverse(sample.model.functions[0].node);
    CAPTURE(twice);
    CHECK_THAT(sample.said(), ContainsSubstring("in its function") &&
                                  ContainsSubstring("'" + std::string(twice) + "'"));
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
std::string branch_bytes(const std::string& op, const std::string& weights) {
  return graph_bytes(graph("=> result[N,2]; inner[2,2] = " + weights +
                           "; product = MatMul(h,inner); " + "result = " + op + "(product)"));
}

OnnxSample with_condition(const std::string& condition) {
  OnnxSample sample = graph(
      "true:BOOL[] = 1; false:BOOL[] = 0; two:INT64[1] = 2; shape = Shape(x); "
      "rows = Gather(shape,zero); columns = Gather(shape,one); has_two = Equal(columns,two); "
      "on_batch = Equal(rows,two); computed = Greater(x,zero); h = Neg(x); c = If:choice(" +
      condition + "); y = MatMul(c,w)");
  onnx::Node& node = *std::ranges::find(sample.graph().node, "If", &onnx::Node::op_type);
  for (const bool is_then : {false, true}) {
    auto& branch = node.attribute.emplace_back();
    branch.name = is_then ? "then_branch" : "else_branch";
    branch.g = kept(is_then ? branch_bytes("Relu", "2 0 0 1") : branch_bytes("Tanh", "3 0 0 1"));
  }
  return sample;
}

TEST_CASE("the branch of a condition that is known is read") {
  const auto layers = [](const char* condition) { return with_condition(condition).read().layers; };
  const auto activation = [](const NetworkLayer& layer) {
    return std::get<ActivationLayer>(layer).activation;
  };
  for (const char* const condition : {"true", "has_two"}) {
    INFO(condition);
    const std::vector<NetworkLayer> taken = layers(condition);
    REQUIRE(taken.size() == 3);
    CHECK(std::get<AffineLayer>(taken[0]).weights == std::vector<float>{-2, 0, 0, -1});
    CHECK(activation(taken[1]) == Activation::kRelu);
  }
  const std::vector<NetworkLayer> other = layers("false");
  REQUIRE(other.size() == 3);
  CHECK(std::get<AffineLayer>(other[0]).weights == std::vector<float>{-3, 0, 0, -1});
  CHECK(activation(other[1]) == Activation::kTanh);
}

TEST_CASE("a function may have a condition, and outputs that cannot be computed") {
  OnnxSample sample = with_condition("true");
  onnx::Graph& graph = sample.graph();
  onnx::Node& choice = *std::ranges::find(graph.node, "If", &onnx::Node::op_type);
  // The branch reads "h".
  onnx::Function& function =
      add_function(sample, "Choose", {"outer", "which"}, {"chosen", "other"},
                   "h = Identity(outer); chosen = If(which); other = LSTM(outer)");
  function.node[1].attribute = choice.attribute;
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
  CHECK_THAT(with_condition("on_batch").said(), ContainsSubstring("number of samples"));
  CHECK_THAT(with_condition("computed").said(),
             ContainsSubstring("(If 'choice')") && ContainsSubstring("'cond'"));
  OnnxSample sample = with_condition("true");
  onnx::Node& node = *std::ranges::find(sample.graph().node, "If", &onnx::Node::op_type);
  node.attribute[1].g = kept(branch_bytes("LSTM", "1 0 0 1"));
  CHECK_THAT(sample.said(), ContainsSubstring("(If 'choice'), 'LSTM' in its branch"));
  node.attribute[1].g = kept(branch_bytes("Relu", "1 0 0 1")).substr(0, 30);
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
    OnnxSample sample =
        graph("true:BOOL[] = 1; 0 = MatMul(x,w); y = Neg(" + std::to_string(count) + ")");
    for (int i = 0; i < count; ++i) {
      const OnnxSample branch = graph("=> result[N,2]; result = Relu(" + std::to_string(i) + ")");
      auto& taken = sample.node("If", {"true"}, std::to_string(i + 1)).attribute.emplace_back();
      taken.name = "then_branch";
      taken.g = kept(graph_bytes(branch));
    }
    return sample.said();
  };
  CHECK(said(40).empty());
  CHECK_THAT(said(200), ContainsSubstring("(If, output") && ContainsSubstring("conditions"));
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

}  // namespace
}  // namespace tilewright
