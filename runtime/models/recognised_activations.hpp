// Which operations compute an activation together?
//
// Exporters write Gelu as Div, Erf, Add, Mul, Mul, or as Pow ... Tanh ... Mul, HardSwish as
// HardSigmoid, Mul, and Softplus with Greater and Where, in this order or another. What such
// operations compute is seen from their values at some points: there are few ways to equal Gelu at
// all of them but to be Gelu. It is done for speed only: an affine layer and the activation after
// it are one step.
#pragma once

#include <tilewright/mlp_model.hpp>

namespace tilewright {

// Replaces such operations. Layers that are no longer needed stay. The model must have no fault,
// and numbered values.
void recognise_activations(MlpModel& model);

}  // namespace tilewright
