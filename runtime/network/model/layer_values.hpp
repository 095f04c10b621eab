// Visits the values that layers read.
#pragma once

#include <cstddef>
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

// Replaces kPreviousValue by the number of the value, and fills in the lists of inputs and outputs.
inline NetworkModel with_value_numbers(NetworkModel model) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for_each_value(model.layers[i],
                   [&](NetworkValue& value) { value = numbered_value(model, value, i); });
  }
  model.outputs = numbered_outputs(model);
  if (model.inputs.empty()) model.inputs.emplace_back();
  return model;
}

}  // namespace tilewright
