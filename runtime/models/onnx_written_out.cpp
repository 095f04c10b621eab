// Which activation is it that an exporter wrote as several nodes?
//
// PyTorch's exporters write Gelu as Div, Erf, Add, Mul, Mul, or as Pow ... Tanh ... Mul, HardSwish
// as HardSigmoid, Mul, and Softplus with Greater and Where, in this order or another. What such
// nodes compute is told by its values at some points: there are few ways to be Gelu at all of them
// but to be Gelu.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "onnx_chain.hpp"

namespace tilewright {
namespace {

// More than any of them is made of.
constexpr std::size_t kMaxNodes = 24;

using Values = std::vector<double>;

// -12, -11.75 ... 12
Values points() {
  Values x;
  for (int i = -48; i <= 48; ++i) x.push_back(i / 4.0);
  return x;
}

struct Function {
  std::string_view name;
  int operands;
  double (*of)(double a, double b, double c);
};

constexpr Function kFunctions[] = {
    {"Add", 2, [](double a, double b, double) { return a + b; }},
    {"Sub", 2, [](double a, double b, double) { return a - b; }},
    {"Mul", 2, [](double a, double b, double) { return a * b; }},
    {"Div", 2, [](double a, double b, double) { return a / b; }},
    {"Pow", 2, [](double a, double b, double) { return std::pow(a, b); }},
    {"Greater", 2, [](double a, double b, double) { return a > b ? 1.0 : 0.0; }},
    {"Where", 3, [](double a, double b, double c) { return a != 0.0 ? b : c; }},
    {"Clip", 3, [](double a, double b, double c) { return std::min(std::max(a, b), c); }},
    {"Erf", 1, [](double a, double, double) { return std::erf(a); }},
    {"Relu", 1, [](double a, double, double) { return std::max(a, 0.0); }},
    {"Tanh", 1, [](double a, double, double) { return std::tanh(a); }},
    {"Sigmoid", 1, [](double a, double, double) { return activated(Activation::kSigmoid, a, {}); }},
    {"Softplus", 1,
     [](double a, double, double) { return activated(Activation::kSoftplus, a, {}); }},
    {"HardSigmoid", 3,  // its attributes as operands
     [](double a, double b, double c) { return std::clamp(b * a + c, 0.0, 1.0); }},
};

// What an activation is, and what is multiplied to its input and divided from its output.
struct Recognised {
  MlpActivation activation;
  double factor = 1.0;
};

bool are(const Values& y, Activation activation, double factor) {
  const Values x = points();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right = activated(activation, factor * x[i], {}) / factor;
    if (!(std::abs(y[i] - right) <= 1e-6 * (1.0 + std::abs(right)))) return false;
  }
  return true;
}

std::optional<Recognised> recognised(const Values& y) {
  if (are(y, Activation::kGelu, 1.0)) return Recognised{MlpActivation::kGelu};
  if (are(y, Activation::kGeluTanh, 1.0)) return Recognised{MlpActivation::kGeluTanh};
  if (are(y, Activation::kHardSwish, 1.0)) return Recognised{MlpActivation::kHardSwish};
  // log(1 + exp(beta x)) / beta, which is log(2) / beta at 0.
  const double beta = std::numbers::ln2 / y[y.size() / 2];
  if (!std::isfinite(beta) || !are(y, Activation::kSoftplus, beta)) return std::nullopt;
  return Recognised{MlpActivation::kSoftplus, std::abs(beta - 1.0) < 1e-6 ? 1.0 : beta};
}

// The values of those that follow from the chain's value, and how often they are still taken.
struct Followed {
  std::unordered_map<std::string_view, Values> values;
  std::unordered_map<std::string_view, int> open;
};

const Function* find_function(const onnx::NodeProto& node) {
  const auto* const found =
      std::find_if(std::begin(kFunctions), std::end(kFunctions),
                   [&](const Function& function) { return function.name == node.op_type(); });
  const bool is_onnx = node.domain().empty() || node.domain() == "ai.onnx";
  return found == std::end(kFunctions) || !is_onnx ? nullptr : found;
}

bool is_number(const onnx::TensorProto& tensor) {
  return tensor.data_type() == onnx::TensorProto::FLOAT &&
         std::all_of(tensor.dims().begin(), tensor.dims().end(),
                     [](std::int64_t extent) { return extent == 1; });
}

// The node's value, if `operand` gives all of its inputs.
std::optional<Values> node_value(const onnx::NodeProto& node, const ModelPlace& place,
                                 const std::function<std::optional<Values>(int)>& operand) {
  const Function* const function = find_function(node);
  if (function == nullptr || node.output_size() != 1) return std::nullopt;
  Values operands[3] = {{0.0}, {0.0}, {0.0}};
  const bool has_attributes = function->name == "HardSigmoid";
  if (has_attributes) {
    operands[1] = {static_cast<double>(float_attribute(node, "alpha", 0.2f, place))};
    operands[2] = {static_cast<double>(float_attribute(node, "beta", 0.5f, place))};
  }
  const int inputs = has_attributes ? 1 : function->operands;
  if (node.input_size() != inputs) return std::nullopt;
  for (int i = 0; i < inputs; ++i) {
    const std::optional<Values> given = operand(i);
    if (!given) return std::nullopt;
    operands[i] = *given;
  }
  Values values = points();
  for (std::size_t p = 0; p < values.size(); ++p) {
    const auto at = [&](int i) {
      return operands[i].size() == 1 ? operands[i][0] : operands[i][p];
    };
    values[p] = function->of(at(0), at(1), at(2));
  }
  return values;
}

}  // namespace

std::size_t OnnxChain::take_written_out(std::span<const int> nodes) {
  const auto uses = [&](const std::string& value) {
    const auto found = uses_.find(value);
    return found == uses_.end() ? 0 : found->second;
  };
  if (value_.empty() || uses(value_) < 2) return 0;
  Followed followed;
  followed.values[value_] = points();
  followed.open[value_] = uses(value_);
  for (std::size_t i = 0; i < std::min(nodes.size(), kMaxNodes); ++i) {
    const Node node{graph_.proto().node(nodes[i]), graph_.node_place(nodes[i])};
    if (node.proto.op_type() == "Constant") {
      take(node);
      continue;
    }
    const auto operand = [&](int index) -> std::optional<Values> {
      const std::string& name = node.proto.input(index);
      if (const auto found = followed.values.find(name); found != followed.values.end()) {
        --followed.open[found->first];
        return found->second;
      }
      const std::optional<Constant> constant = find_constant(name);
      if (!constant || !is_number(*constant->tensor)) return std::nullopt;
      return Values{static_cast<double>(tensors_.floats(*constant->tensor, node.place).at(0))};
    };
    std::optional<Values> values = node_value(node.proto, node.place, operand);
    if (!values) return 0;
    const std::string& output = node.proto.output(0);
    const bool is_closed = std::all_of(followed.open.begin(), followed.open.end(),
                                       [](const auto& taken) { return taken.second == 0; });
    const auto found = is_closed ? recognised(*values) : std::nullopt;
    if (found) {
      if (found->factor != 1.0) apply(node, {found->factor}, {0.0});
      settle_columns(node.place, "an activation");
      model_.layers.emplace_back(ActivationLayer{node.proto.name(), found->activation});
      if (found->factor != 1.0) apply(node, {1.0 / found->factor}, {0.0});
      value_ = output;
      return i + 1;
    }
    followed.values[output] = std::move(*values);
    followed.open[output] = uses(output);
  }
  return 0;
}

}  // namespace tilewright
