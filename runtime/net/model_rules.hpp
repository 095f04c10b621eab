// What a model must be to run as a net: the rules of the library and of the readers of files.
//
// In a header alone: both libraries have them, and neither links the other.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tilewright/mlp_model.hpp>
#include "profiles/base/printable.hpp"
#include "runtime/net/activation_layer.hpp"

namespace tilewright {

// The first rule that a model breaks.
struct ModelFault {
  std::string place;   // "layer 2 ('fc1')"; empty: the model as a whole
  std::string reason;  // follows the place: "has 3 biases for 4 outputs"
  bool is_too_large = false;
};

inline constexpr std::int64_t kMaxLayerExtent = 2'000'000'000;  // inputs or outputs

inline const std::string& layer_name(const MlpLayer& layer) {
  return std::visit([](const auto& any) -> const std::string& { return any.name; }, layer);
}

inline std::string layer_place(const MlpModel& model, std::size_t index) {
  const std::string& name = layer_name(model.layers[index]);
  return name.empty() ? fmt::format("layer {}", index + 1)
                      : fmt::format("layer {} ({})", index + 1, in_quotes(name));
}

namespace model_rules {

// Each returns what is wrong, or "".
inline std::string find_size_fault(const AffineLayer& layer) {
  const auto weights = static_cast<std::uint64_t>(layer.inputs * layer.outputs);
  if (layer.weights.size() != weights) {
    return fmt::format("has {} weights, not {} x {}", layer.weights.size(), layer.inputs,
                       layer.outputs);
  }
  if (!layer.bias.empty() && std::cmp_not_equal(layer.bias.size(), layer.outputs)) {
    return fmt::format("has {} biases for {} outputs", layer.bias.size(), layer.outputs);
  }
  return "";
}

inline std::string find_parameter_fault(const ActivationLayer& layer) {
  const Activation activation = to_activation(layer.activation);
  if (!is_known(activation)) {
    return fmt::format("has the activation {}, which is none", static_cast<int>(activation));
  }
  for (const ActivationParameter& parameter : describe_activation(activation).parameters) {
    const float value = layer.*parameter_member(parameter);
    if (!std::isfinite(value)) {
      return fmt::format("has {} {}, which is no finite number", parameter.name, value);
    }
  }
  if (activation == Activation::kClip && layer.low > layer.high) {
    return fmt::format("has low {} above high {}", layer.low, layer.high);
  }
  return "";
}

}  // namespace model_rules

inline std::optional<ModelFault> find_fault(const MlpModel& model) {
  std::optional<std::int64_t> width;  // of what the layers so far give, if one is affine
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto fault = [&](const std::string& reason, bool is_too_large = false) {
      return ModelFault{layer_place(model, i), reason, is_too_large};
    };
    const auto* affine = std::get_if<AffineLayer>(&model.layers[i]);
    std::string reason;
    if (affine == nullptr) {
      reason = model_rules::find_parameter_fault(std::get<ActivationLayer>(model.layers[i]));
      if (!reason.empty()) return fault(reason);
      continue;
    }
    for (const auto& [extent, what] :
         {std::pair(affine->inputs, "inputs"), std::pair(affine->outputs, "outputs")}) {
      if (extent < 1) return fault(fmt::format("has {} {}; at least 1 is needed", extent, what));
      if (extent > kMaxLayerExtent) {
        return fault(fmt::format("has {} {}; at most {} can be run", extent, what, kMaxLayerExtent),
                     true);
      }
    }
    reason = model_rules::find_size_fault(*affine);
    if (!reason.empty()) return fault(reason);
    if (width && affine->inputs != *width) {
      return fault(
          fmt::format("takes {} inputs, but the layers before it give {}", affine->inputs, *width));
    }
    width = affine->outputs;
  }
  if (width) return std::nullopt;
  return ModelFault{"", "has no affine layer"};
}

}  // namespace tilewright
