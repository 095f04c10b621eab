// The operations that are activations.
#include <algorithm>
#include <cmath>
#include <limits>

#include "onnx_chain.hpp"
#include "profiles/base/printable.hpp"
#include "runtime/net/activation_layer.hpp"

namespace tilewright {

const ActivationDescription* find_listed_activation(std::string_view onnx_operator) {
  const auto* const found = std::find_if(
      std::begin(kActivations), std::end(kActivations),
      [=](const ActivationDescription& each) { return each.onnx_operator == onnx_operator; });
  return found == std::end(kActivations) ? nullptr : found;
}

ActivationLayer& OnnxChain::push_activation(const Node& node, MlpActivation activation) {
  expect_chain_first(node);
  settle_columns(node.place, "an activation");
  ActivationLayer layer;
  layer.name = node.proto.name();
  layer.activation = activation;
  return std::get<ActivationLayer>(model_.layers.emplace_back(std::move(layer)));
}

void OnnxChain::listed_activation(const Node& node) {
  const ActivationDescription& listed = *find_listed_activation(node.proto.op_type());
  ActivationLayer& layer = push_activation(node, static_cast<MlpActivation>(listed.activation));
  for (const ActivationParameter& parameter : listed.parameters) {
    layer.*parameter_member(parameter) =
        float_attribute(node.proto, parameter.onnx_attribute, parameter.onnx_default, node.place);
  }
}

// With other constants than the usual ones it is a scaled Elu.
void OnnxChain::selu(const Node& node) {
  const auto is_usual = [](float value, double usual) {
    return std::abs(static_cast<double>(value) - usual) < 1e-6;
  };
  const auto usual_alpha = static_cast<float>(kSeluAlpha);
  const auto usual_gamma = static_cast<float>(kSeluScale);
  const float alpha = float_attribute(node.proto, "alpha", usual_alpha, node.place);
  const float gamma = float_attribute(node.proto, "gamma", usual_gamma, node.place);
  if (is_usual(alpha, kSeluAlpha) && is_usual(gamma, kSeluScale)) {
    push_activation(node, MlpActivation::kSelu);
    return;
  }
  push_activation(node, MlpActivation::kElu).slope = alpha;
  apply(node, {static_cast<double>(gamma)}, {0.0});
}

void OnnxChain::gelu(const Node& node) {
  const onnx::AttributeProto* const given = attribute(node.proto, "approximate");
  const std::string approximate = given == nullptr ? "none" : given->s();
  if (approximate != "none" && approximate != "tanh") {
    node.place.fail(fmt::format("its attribute approximate is {}; none and tanh can be run",
                                in_quotes(approximate)));
  }
  push_activation(node, approximate == "tanh" ? MlpActivation::kGeluTanh : MlpActivation::kGelu);
}

// A bound of Clip: an input, or, before operator set 11, an attribute.
float OnnxChain::bound(const Node& node, int index, const char* name, float otherwise) {
  float value = float_attribute(node.proto, name, otherwise, node.place);
  if (index < node.proto.input_size() && !node.proto.input(index).empty()) {
    const std::vector<float> values =
        tensors_.floats(*expect_constant(node, index, name).tensor, node.place);
    if (values.size() != 1) node.place.fail(fmt::format("its {} is not one number", name));
    value = values.front();
  }
  const float most = std::numeric_limits<float>::max();
  return std::isinf(value) ? std::copysign(most, value) : value;
}

void OnnxChain::clip(const Node& node) {
  const float most = std::numeric_limits<float>::max();
  const float low = bound(node, 1, "min", -most);
  const float high = bound(node, 2, "max", most);
  if (!(low <= high)) {
    node.place.fail(fmt::format("has no number between its min, {}, and its max, {}", low, high));
  }
  ActivationLayer& layer = push_activation(node, MlpActivation::kClip);
  layer.low = low;
  layer.high = high;
}

// With a slope for each column, f(x) = max(x, 0) - slope max(-x, 0): the layer before gives x and
// -x side by side, ReLU is applied to both, and the layer behind adds them up.
void OnnxChain::prelu(const Node& node) {
  const std::vector<double> slopes = column_values(node, expect_constant(node, 1, "slope"));
  if (std::all_of(slopes.begin(), slopes.end(), [&](double s) { return s == slopes.front(); })) {
    push_activation(node, MlpActivation::kLeakyRelu).slope = static_cast<float>(slopes.front());
    return;
  }
  expect_chain_first(node);
  expect_rows(node);
  auto* const layer =
      model_.layers.empty() ? nullptr : std::get_if<AffineLayer>(&model_.layers.back());
  if (layer == nullptr || columns_) {
    node.place.fail("has a slope for each column; that can be run behind a MatMul or Gemm only");
  }
  *layer = with_negatives(*layer);
  push_activation(node, MlpActivation::kRelu);
  columns_.emplace();
  columns_->scale.assign(slopes.size(), 1.0);
  columns_->shift.assign(slopes.size(), 0.0);
  for (const double slope : slopes) columns_->negative_scale.push_back(-slope);
}

// Of two dimensions the last is 1 or -1: the default before and since operator set 13.
void OnnxChain::push_row_activation(const Node& node, MlpActivation activation) {
  expect_rows(node);
  const std::int64_t axis = integer_attribute(node.proto, "axis", -1, node.place);
  if (axis != 1 && axis != -1) {
    node.place.fail(fmt::format("goes along axis {}; only the last (1 or -1) can be run", axis));
  }
  push_activation(node, activation);
}

void OnnxChain::softmax(const Node& node) {
  push_row_activation(node, MlpActivation::kSoftmax);
}

void OnnxChain::log_softmax(const Node& node) {
  push_row_activation(node, MlpActivation::kLogSoftmax);
}

}  // namespace tilewright
