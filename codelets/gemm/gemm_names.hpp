// What do the names in a gemm kernel stand for?
//
// Internal to codelets.
#pragma once

#include <vector>

#include "codelets/text/kernel_text.hpp"

namespace tilewright {

// Of all gemm kernels: each has some of them.
std::vector<Meaning> gemm_names();

}  // namespace tilewright
