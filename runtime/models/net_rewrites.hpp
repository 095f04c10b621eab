// Rewrites a model so that it runs faster. Results differ only by rounding.
#pragma once

#include <variant>

#include <tilewright/mlp_model.hpp>

namespace tilewright {

// Calls the function with a reference to each MlpValue that a layer reads. `Layer`: MlpLayer,
// possibly const.
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
MlpModel numbered(MlpModel model);

// The models that the following functions take and return do not contain kPreviousValue.

// Removes the inputs and layers that no output needs.
MlpModel without_unused(MlpModel model);

// Replaces groups of operations that compute an activation by this activation. Merges operations
// that scale and shift columns into the weights and bias of the adjacent affine layer, unless that
// would lose precision.
MlpModel simplified(MlpModel model);

// Uses kPreviousValue wherever a layer reads the value of the previous layer.
MlpModel as_chain(MlpModel model);

}  // namespace tilewright
