// Activations, and operators that consist of a few operations on elements.
#include "runtime/network/model/activation_layer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "onnx/onnx_operators.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {
namespace {

OnnxValue scaled(OnnxNode& node, const OnnxValue& x, double factor) {
  if (factor == 1.0) return x;
  return node.elements(NetworkOperation::kMultiply, {x, node.number(factor)});
}

OnnxValue elu(OnnxNode& node, float slope, const OnnxValue& x) {
  ActivationLayer layer{"", Activation::kElu};
  layer.slope = slope;
  return node.activation(layer, x);
}

// With constants other than the defaults, Selu becomes a scaled Elu.
OnnxValue selu(OnnxNode& node, const OnnxValue& x) {
  const auto is_usual = [](float value, double usual) {
    return std::abs(static_cast<double>(value) - usual) < 1e-6;
  };
  const float alpha = node.real("alpha", static_cast<float>(kSeluAlpha));
  const float gamma = node.real("gamma", static_cast<float>(kSeluScale));
  if (is_usual(alpha, kSeluAlpha) && is_usual(gamma, kSeluScale)) {
    return node.activation(Activation::kSelu, x);
  }
  return scaled(node, elu(node, alpha, x), static_cast<double>(gamma));
}

// max(x, 0) + min(alpha (exp(x / alpha) - 1), 0): an Elu of x / alpha, scaled.
OnnxValue celu(OnnxNode& node, const OnnxValue& x) {
  const auto alpha = static_cast<double>(node.real("alpha", 1.0f));
  const OnnxValue inner =
      alpha == 1.0 ? x : node.elements(NetworkOperation::kDivide, {x, node.number(alpha)});
  return scaled(node, elu(node, 1.0f, inner), alpha);
}

OnnxValue gelu(OnnxNode& node, const OnnxValue& x) {
  const std::string approximate = node.text("approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    node.fail(fmt::format("its attribute approximate is {}; none and tanh are supported",
                          in_quotes(approximate)));
  }
  return node.activation(approximate == "tanh" ? Activation::kGeluTanh : Activation::kGelu, x);
}

// BiasGelu and FastGelu (the tanh form) of onnxruntime, with or without a bias.
OnnxValue bias_gelu(OnnxNode& node, const OnnxValue& x) {
  const OnnxValue* const bias = node.input(1);
  return node.activation(node.op() == "FastGelu" ? Activation::kGeluTanh : Activation::kGelu,
                         bias == nullptr ? x : node.elements(NetworkOperation::kAdd, {x, *bias}));
}

// Returns a bound of Clip: an input, or an attribute before operator set 11.
double bound(OnnxNode& node, int index, const char* name, float otherwise) {
  if (node.input(index) == nullptr) return static_cast<double>(node.real(name, otherwise));
  const std::vector<double> given = node.constant(index, name).values;
  if (given.size() != 1)
    node.fail(
        fmt::format("its {} is not a single number; use Max and Min for one per column", name));
  return given.front();
}

OnnxValue clip(OnnxNode& node, const OnnxValue& x) {
  const double low = bound(node, 1, "min", -HUGE_VALF);
  const double high = bound(node, 2, "max", HUGE_VALF);
  if (x.is_constant() || is_integer_type(x.type)) {
    OnnxValue result = x;
    if (low != -HUGE_VAL)
      result = node.elements(NetworkOperation::kMaximum, {result, node.number(low)});
    if (high != HUGE_VAL)
      result = node.elements(NetworkOperation::kMinimum, {result, node.number(high)});
    return result;
  }
  if (std::isnan(low) || std::isnan(high)) {
    node.fail("has a min or max that is not a number; give it a number");
  }
  constexpr double kMost = std::numeric_limits<float>::max();
  ActivationLayer layer{"", Activation::kClip};
  layer.high = static_cast<float>(std::clamp(high, -kMost, kMost));
  // If min is greater, ONNX defines max as the result.
  layer.low = static_cast<float>(std::clamp(std::min(low, high), -kMost, kMost));
  return node.activation(layer, x);
}

// x, or slope x where x < 0.
OnnxValue prelu(OnnxNode& node, const OnnxValue& x) {
  const OnnxValue& slope = node.expect(1, "slope");
  if (slope.is_constant()) {
    const std::vector<double> slopes = node.elements_of(slope).values;
    if (!slopes.empty() &&
        std::ranges::all_of(slopes, [&](double each) { return each == slopes.front(); })) {
      ActivationLayer layer{"", Activation::kLeakyRelu};
      layer.slope = static_cast<float>(slopes.front());
      return node.activation(layer, x);
    }
  }
  const OnnxValue is_negative = node.elements(NetworkOperation::kLess, {x, node.number(0.0)});
  return node.elements(NetworkOperation::kWhere,
                       {is_negative, node.elements(NetworkOperation::kMultiply, {x, slope}), x});
}

// x sigmoid(alpha x): SiLU with alpha = 1, QuickGelu with alpha = 1.702.
OnnxValue swish(OnnxNode& node, const OnnxValue& x) {
  const float alpha = node.real("alpha", node.op() == "QuickGelu" ? 1.702f : 1.0f);
  const OnnxValue inner = scaled(node, x, static_cast<double>(alpha));
  return node.elements(NetworkOperation::kMultiply,
                       {x, node.activation(Activation::kSigmoid, inner)});
}

OnnxValue mish(OnnxNode& node, const OnnxValue& x) {
  const OnnxValue inner = node.activation(Activation::kSoftplus, x);
  return node.elements(NetworkOperation::kMultiply, {x, node.activation(Activation::kTanh, inner)});
}

OnnxValue softsign(OnnxNode& node, const OnnxValue& x) {
  const OnnxValue size = node.elements(NetworkOperation::kAbs, {x});
  const OnnxValue divisor = node.elements(NetworkOperation::kAdd, {size, node.number(1.0)});
  return node.elements(NetworkOperation::kDivide, {x, divisor});
}

// x where x > alpha, else 0.
OnnxValue thresholded_relu(OnnxNode& node, const OnnxValue& x) {
  const OnnxValue alpha = node.number(static_cast<double>(node.real("alpha", 1.0f)));
  const OnnxValue passes = node.elements(NetworkOperation::kGreater, {x, alpha});
  return node.elements(NetworkOperation::kWhere, {passes, x, node.number(0.0)});
}

constexpr std::string_view kClipResult = "that activation, with constant bounds";

constexpr OnnxOperator kActivationTable[] = {
    {"Gelu", 20, 1, same_shape, gelu, kActivationResult},
    {"Selu", 1, 1, same_shape, selu, kActivationResult},
    {"Clip", 1, 1, same_shape, clip, kClipResult},
    {"Clip", 11, 3, same_shape, clip, kClipResult},
    {"com.microsoft.BiasGelu", 1, 2, kBroadcast, bias_gelu, kActivationResult},
    {"com.microsoft.FastGelu", 1, 2, kBroadcast, bias_gelu, kActivationResult},
    {"com.microsoft.Gelu", 1, 1, same_shape, gelu, kActivationResult},
    {"Celu", 12, 1, same_shape, celu, kElementsResult},
    {"Mish", 18, 1, same_shape, mish, kElementsResult},
    {"PRelu", 1, 2, kBroadcast, prelu, kElementsResult},
    {"Softsign", 1, 1, same_shape, softsign, kElementsResult},
    {"Swish", 24, 1, same_shape, swish, kElementsResult},
    {"ThresholdedRelu", 10, 1, same_shape, thresholded_relu, kElementsResult},
    {"com.microsoft.QuickGelu", 1, 1, same_shape, swish, kElementsResult},
};

}  // namespace

// The operators of the list of activations.
OnnxValue listed_activation(OnnxNode& node, const OnnxValue& x) {
  const auto* const listed =
      std::ranges::find(kActivations, node.op(), &ActivationDescription::onnx_operator);
  ActivationLayer layer{"", listed->activation};
  for (const ActivationParameter& parameter : listed->parameters) {
    layer.*parameter_member(parameter) =
        node.real(parameter.onnx_attribute, parameter.onnx_default);
  }
  return node.activation(layer, x);
}

constinit const OnnxOperators kActivationOperators = kActivationTable;

}  // namespace tilewright
