// Finds groups of operations that together compute an activation.
//
// Exporters write Gelu as Div, Erf, Add, Mul, Mul, or as Pow ... Tanh ... Mul, HardSwish as
// HardSigmoid, Mul, and Softplus with Greater and Where, in varying order. A group of operations is
// recognised by its values at a set of test points: a function that equals Gelu at all of them is
// taken to be Gelu. This only improves speed: an affine layer and the activation after it run as
// one step.
#pragma once

#include "runtime/network/model/network_model.hpp"

namespace tilewright {

// Replaces such groups by activations. Layers that are no longer needed are kept. The model must
// have no fault (find_fault()) and no kPreviousValue (with_value_numbers()).
void recognise_activations(NetworkModel& model);

}  // namespace tilewright
