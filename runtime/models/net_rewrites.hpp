// Rewrites of a model that make it faster and change its results by rounding only.
#pragma once

#include <variant>

#include <tilewright/mlp_model.hpp>

namespace tilewright {

// Calls the function with a reference to each value that the layer, an MlpLayer, takes.
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

// The model with the numbers of its values instead of kPreviousValue, and with lists of inputs and
// outputs.
MlpModel numbered(MlpModel model);

// All values are numbered in what these take and return: kPreviousValue does not occur.

// Without the inputs and layers that no output needs.
MlpModel without_unused(MlpModel model);

// Operations that compute an activation together become this activation. Columns that are scaled
// and shifted before or after an affine layer are scaled and shifted by its weights and bias, where
// no digits are lost.
MlpModel simplified(MlpModel model);

// kPreviousValue wherever a layer takes the value of the layer before.
MlpModel as_chain(MlpModel model);

}  // namespace tilewright
