// The steps of a forward pass as a table for people.
#pragma once

#include <string>
#include <vector>

#include "runtime/network/network.hpp"

namespace tilewright {

// One line for each step, for example
// "1  hidden + relu  100x784x1000  predicted 31 us  gemm_nn_8x4".
std::string to_text(const std::vector<StepDescription>& steps);

}  // namespace tilewright
