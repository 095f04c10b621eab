// Visits the values that a layer reads.
#pragma once

#include <variant>

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Calls the function with a reference to each NetworkValue that a layer reads. `Layer`:
// NetworkLayer, possibly const.
template <class Layer, class Function>
void for_each_value(Layer& layer, const Function& function) {
  if (auto* operation = std::get_if<OperationLayer>(&layer)) {
    for (auto& operand : operation->operands) {
      if (operand.constant.empty()) function(operand.value);
    }
  } else if (auto* affine = std::get_if<AffineLayer>(&layer)) {
    function(affine->input);
  } else {
    function(std::get<ActivationLayer>(layer).input);
  }
}

}  // namespace tilewright
