// Converts activations.
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx/onnx_importer.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/network/model/activation_layer.hpp"

namespace tilewright {

OnnxImporter::Computed OnnxImporter::activation(const Node& node, MlpActivation activation,
                                                const Computed& input) {
  ActivationLayer layer;
  layer.name = node.proto.name;
  layer.activation = activation;
  layer.input = input.value;
  return {push(std::move(layer)), input.extents, input.is_flat};
}

// An activation of the list, with its attributes.
OnnxImporter::Computed OnnxImporter::listed_activation(const Node& node) {
  const auto* const listed = std::find_if(
      std::begin(kActivations), std::end(kActivations),
      [&](const ActivationDescription& each) { return each.onnx_operator == node.proto.op_type; });
  const Computed result =
      activation(node, static_cast<MlpActivation>(listed->activation), expect_computed(node));
  auto& layer = std::get<ActivationLayer>(layers_.back());
  for (const ActivationParameter& parameter : listed->parameters) {
    layer.*parameter_member(parameter) =
        float_attribute(node.proto, parameter.onnx_attribute, parameter.onnx_default, node.place);
  }
  return result;
}

// With constants other than the defaults, Selu becomes a scaled Elu.
OnnxImporter::Computed OnnxImporter::selu(const Node& node) {
  const auto is_usual = [](float value, double usual) {
    return std::abs(static_cast<double>(value) - usual) < 1e-6;
  };
  const auto usual_alpha = static_cast<float>(kSeluAlpha);
  const auto usual_gamma = static_cast<float>(kSeluScale);
  const float alpha = float_attribute(node.proto, "alpha", usual_alpha, node.place);
  const float gamma = float_attribute(node.proto, "gamma", usual_gamma, node.place);
  const Computed x = expect_computed(node);
  if (is_usual(alpha, kSeluAlpha) && is_usual(gamma, kSeluScale)) {
    return activation(node, MlpActivation::kSelu, x);
  }
  const Computed elu = activation(node, MlpActivation::kElu, x);
  std::get<ActivationLayer>(layers_.back()).slope = alpha;
  return elements(node, MlpOperation::kMultiply, {elu, number(static_cast<double>(gamma))});
}

OnnxImporter::Computed OnnxImporter::gelu(const Node& node) {
  const std::string approximate = text_attribute(node.proto, "approximate", "none");
  if (approximate != "none" && approximate != "tanh") {
    node.place.fail(fmt::format("its attribute approximate is {}; none and tanh are supported",
                                in_quotes(approximate)));
  }
  return activation(node, approximate == "tanh" ? MlpActivation::kGeluTanh : MlpActivation::kGelu,
                    expect_computed(node));
}

// BiasGelu and FastGelu (the tanh form) of onnxruntime, with or without a bias.
OnnxImporter::Computed OnnxImporter::bias_gelu(const Node& node) {
  Computed x = expect_computed(node);
  if (const Operand* bias = find(node, 1)) {
    x = elements(node, MlpOperation::kAdd, {x, *bias});
  }
  const bool is_fast = node.proto.op_type == "FastGelu";
  return activation(node, is_fast ? MlpActivation::kGeluTanh : MlpActivation::kGelu, x);
}

// Returns a bound of Clip: an input, or an attribute before operator set 11.
float OnnxImporter::bound(const Node& node, int index, const char* name, float otherwise) {
  float value = float_attribute(node.proto, name, otherwise, node.place);
  if (const auto given = optional_numbers(node, index, name)) {
    if (given->values.size() != 1)
      node.place.fail(
          fmt::format("its {} is not a single number; use Max and Min for one per column", name));
    value = static_cast<float>(given->values.front());
  }
  const float most = std::numeric_limits<float>::max();
  return std::isinf(value) ? std::copysign(most, value) : value;
}

OnnxImporter::Computed OnnxImporter::clip(const Node& node) {
  const float most = std::numeric_limits<float>::max();
  const float low = bound(node, 1, "min", -most);
  const float high = bound(node, 2, "max", most);
  if (std::isnan(low) || std::isnan(high)) {
    node.place.fail("has a min or max that is not a number; give it a number");
  }
  const Computed result = activation(node, MlpActivation::kClip, expect_computed(node));
  auto& layer = std::get<ActivationLayer>(layers_.back());
  layer.low = std::min(low, high);  // if min is greater, ONNX defines max as the result
  layer.high = high;
  return result;
}

// x, or slope x where x < 0.
OnnxImporter::Computed OnnxImporter::prelu(const Node& node) {
  const Computed x = expect_computed(node);
  const Operand& slope = expect(node, 1, "slope");
  if (const auto* constant = std::get_if<Constant>(&slope)) {
    const std::vector<double> slopes = numbers(node, *constant).values;
    const bool is_one = !slopes.empty() && std::all_of(slopes.begin(), slopes.end(), [&](double s) {
      return s == slopes.front();
    });
    if (is_one) {
      const Computed result = activation(node, MlpActivation::kLeakyRelu, x);
      std::get<ActivationLayer>(layers_.back()).slope = static_cast<float>(slopes.front());
      return result;
    }
  }
  const Computed negative = elements(node, MlpOperation::kLess, {x, number(0.0)});
  const Computed scaled = elements(node, MlpOperation::kMultiply, {x, slope});
  return elements(node, MlpOperation::kWhere, {negative, scaled, x}, node.proto.name);
}

// x sigmoid(alpha x): SiLU with alpha = 1, QuickGelu with alpha = 1.702.
OnnxImporter::Computed OnnxImporter::swish(const Node& node) {
  const float usual = node.proto.op_type == "QuickGelu" ? 1.702f : 1.0f;
  const float alpha = float_attribute(node.proto, "alpha", usual, node.place);
  const Computed x = expect_computed(node);
  const Computed scaled = alpha == 1.0f ? x
                                        : elements(node, MlpOperation::kMultiply,
                                                   {x, number(static_cast<double>(alpha))});
  const Computed gate = activation(node, MlpActivation::kSigmoid, scaled);
  return elements(node, MlpOperation::kMultiply, {x, gate}, node.proto.name);
}

OnnxImporter::Computed OnnxImporter::mish(const Node& node) {
  const Computed x = expect_computed(node);
  const Computed inner = activation(node, MlpActivation::kSoftplus, x);
  const Computed gate = activation(node, MlpActivation::kTanh, inner);
  return elements(node, MlpOperation::kMultiply, {x, gate}, node.proto.name);
}

OnnxImporter::Computed OnnxImporter::softsign(const Node& node) {
  const Computed x = expect_computed(node);
  const Computed size = elements(node, MlpOperation::kAbs, {x});
  const Computed divisor = elements(node, MlpOperation::kAdd, {size, number(1.0)});
  return elements(node, MlpOperation::kDivide, {x, divisor}, node.proto.name);
}

// max(x, 0) + min(alpha (exp(x / alpha) - 1), 0): an Elu of x / alpha, scaled.
OnnxImporter::Computed OnnxImporter::celu(const Node& node) {
  const auto alpha = static_cast<double>(float_attribute(node.proto, "alpha", 1.0f, node.place));
  const Computed x = expect_computed(node);
  const Computed scaled =
      alpha == 1.0 ? x : elements(node, MlpOperation::kDivide, {x, number(alpha)});
  const Computed elu = activation(node, MlpActivation::kElu, scaled);
  std::get<ActivationLayer>(layers_.back()).slope = 1.0f;
  if (alpha == 1.0) return elu;
  return elements(node, MlpOperation::kMultiply, {elu, number(alpha)});
}

// x where x > alpha, else 0.
OnnxImporter::Computed OnnxImporter::thresholded_relu(const Node& node) {
  const auto alpha = static_cast<double>(float_attribute(node.proto, "alpha", 1.0f, node.place));
  const Computed x = expect_computed(node);
  const Computed passes = elements(node, MlpOperation::kGreater, {x, number(alpha)});
  return elements(node, MlpOperation::kWhere, {passes, x, number(0.0)}, node.proto.name);
}

// x + bias where x < -lambd, x - bias where x > lambd, else 0.
OnnxImporter::Computed OnnxImporter::shrink(const Node& node) {
  const auto lambd = static_cast<double>(float_attribute(node.proto, "lambd", 0.5f, node.place));
  const auto bias = static_cast<double>(float_attribute(node.proto, "bias", 0.0f, node.place));
  const Computed x = expect_computed(node);
  const auto shifted = [&](double shift) {
    return shift == 0.0 ? x : elements(node, MlpOperation::kAdd, {x, number(shift)});
  };
  const Computed is_above = elements(node, MlpOperation::kGreater, {x, number(lambd)});
  const Computed above =
      elements(node, MlpOperation::kWhere, {is_above, shifted(-bias), number(0.0)});
  const Computed is_below = elements(node, MlpOperation::kLess, {x, number(-lambd)});
  return elements(node, MlpOperation::kWhere, {is_below, shifted(bias), above}, node.proto.name);
}

}  // namespace tilewright
