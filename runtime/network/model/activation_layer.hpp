// Connects an ActivationLayer of NetworkModel with the list of activations
// (profiles/activation.hpp).
#pragma once

#include <cstddef>

#include "profiles/activation.hpp"
#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Returns the member of ActivationLayer that stores a parameter.
constexpr float ActivationLayer::*parameter_member(const ActivationParameter& parameter) {
  if (parameter.name == "slope") return &ActivationLayer::slope;
  if (parameter.name == "shift") return &ActivationLayer::shift;
  if (parameter.name == "low") return &ActivationLayer::low;
  return &ActivationLayer::high;
}

// Returns the values of the activation's parameters. The activation must be a known one.
inline ActivationArguments activation_arguments(const ActivationLayer& layer) {
  ActivationArguments arguments = {};
  const auto& parameters = describe_activation(layer.activation).parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    arguments[i] = layer.*parameter_member(parameters[i]);
  }
  return arguments;
}

}  // namespace tilewright
