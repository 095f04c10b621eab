// How does a device that nobody has measured get kernels that suit it?
//
// A starter profile holds kernels that a model expects to be good on a known GPU, with predicted
// times, so that a board is served better than by the built-in kernels until it is tuned.
// docs/experiments/2026-11-26-mali-starters.md describes how those that ship were made.
#pragma once

#include <string>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "profiles/profile.hpp"

namespace tilewright {

// A kernel that somebody's model has chosen.
struct ChosenKernel {
  ParameterPoint point;  // of codelet gemm
  double gflops = 0.0;   // predicted, on large products
};

// Reads lines of a predicted rate in GFLOPS, a tab, and a point. Throws UsageError that names the
// line of what is no such thing.
std::vector<ChosenKernel> parse_chosen(const std::string& text);

// A predicted profile for the devices of paper.gpu's name: the kernels, and those that bring
// operands into their layouts. Its limits are the least that the kernels need. Throws UsageError if
// the GPU is not known, or a point breaks a rule there.
Profile starter_profile(const DeviceInfo& paper, const std::vector<ChosenKernel>& chosen,
                        const std::string& command_line);

}  // namespace tilewright
