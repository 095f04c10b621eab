// Writes the OpenCL C text of the kernel of a KernelStep.
//
// Internal to step kernels.
#pragma once

#include <string>

#include "runtime/network/steps/network_steps.hpp"

namespace tilewright {

// Returns the kernel function that step_kernel.hpp describes, with the macros that the function
// defines itself. It computes vectors of `width` elements of a row.
std::string step_text(const KernelStep& step, const NetworkSteps& steps, Precision precision,
                      int width);

}  // namespace tilewright
