// The activation of a layer of MlpModel, as the list of activations describes it.
#pragma once

#include <cstddef>

#include <tilewright/mlp_model.hpp>
#include "profiles/activation.hpp"

namespace tilewright {

constexpr Activation to_activation(MlpActivation activation) {
  return static_cast<Activation>(activation);
}
// c_mlp.cpp asserts that the values are the same.

// The member of a layer that holds the parameter.
constexpr float ActivationLayer::*parameter_member(const ActivationParameter& parameter) {
  if (parameter.name == "slope") return &ActivationLayer::slope;
  if (parameter.name == "shift") return &ActivationLayer::shift;
  if (parameter.name == "low") return &ActivationLayer::low;
  return &ActivationLayer::high;
}

// The values of the parameters of a known activation.
inline ActivationArguments activation_arguments(const ActivationLayer& layer) {
  ActivationArguments arguments = {};
  const auto& parameters = describe_activation(to_activation(layer.activation)).parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    arguments[i] = layer.*parameter_member(parameters[i]);
  }
  return arguments;
}

}  // namespace tilewright
