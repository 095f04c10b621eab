// OpenCL C text of the epilogue, which turns a product into the stored value.
//
// Internal to codelets. Used by all kernels that compute C = activation(alpha op(A) op(B) + beta C
// + bias).
#pragma once

#include <string>

#include "codelets/text/compile_forms.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// Expression that applies an elementwise activation to `x`, the name of a scalar or of a vector of
// `width` elements. `x` may occur several times. The activation's own parameters appear under their
// names, e.g. slope.
std::string activation_text(Activation, const std::string& x, int width,
                            Exponential = Exponential::kExp);

// The activation's parameters as the end of an argument list: ", slope", or with the type "const
// float ": ", const float slope".
std::string activation_parameters(Activation, const char* type);

// The kernel arguments that follow ldc in the signature: "" or
// ",\n    __global const float *restrict bias, const ulong offset_bias" and ", const float slope".
std::string epilogue_arguments(Dimension bias, Activation);

}  // namespace tilewright
