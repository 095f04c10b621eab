// Layers for tests of how the host computes and divides networks.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

inline AffineLayer affine(std::int64_t inputs, std::int64_t outputs, bool bias = true) {
  const std::vector<float> weights(static_cast<std::size_t>(inputs * outputs), 1.0f);
  return {"", inputs, outputs, weights,
          std::vector<float>(bias ? static_cast<std::size_t>(outputs) : 0, 1.0f)};
}

inline ActivationLayer make_layer(Activation activation) {
  return {"", activation, 0.5f};
}

inline const ActivationLayer kReluLayer = make_layer(Activation::kRelu);
inline const ActivationLayer kLeakyLayer = make_layer(Activation::kLeakyRelu);
inline const ActivationLayer kSoftmaxLayer = make_layer(Activation::kSoftmax);

}  // namespace tilewright
