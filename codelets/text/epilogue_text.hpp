// Which OpenCL C text makes the stored value out of a product?
//
// Internal to codelets; shared by all whose kernels end with
// C = activation(alpha op(A) op(B) + beta C + bias).
#pragma once

#include <string>

#include "codelets/text/compile_forms.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// The elementwise activation of `x`, the name of a float or of a vector of `width` floats (it may
// occur more than once): an expression that can be assigned, returned or passed. It reads floats
// that are called as the activation's parameters.
std::string activation_text(Activation, const std::string& x, int width,
                            Exponential = Exponential::kExp);

// Its arguments behind others: ", slope", or with the type "const float ": ", const float slope".
std::string activation_parameters(Activation, const char* type);

// The arguments that follow ldc in a kernel's signature: "" or
// ",\n    __global const float *restrict bias, const ulong offset_bias" and ", const float slope".
std::string epilogue_arguments(Dimension bias, Activation);

}  // namespace tilewright
