// Explanations of the variables in GEMM kernels.
//
// Internal to codelets.
#pragma once

#include <vector>

#include "codelets/text/kernel_text.hpp"

namespace tilewright {

// The variables of all GEMM kernels; a single kernel has only some of them.
std::vector<Meaning> gemm_names();

}  // namespace tilewright
