// Creates starter profiles, which contain kernels for a device that nobody has measured.
//
// A model has chosen these kernels for a known GPU and predicted their times, so that the board has
// better kernels than the built-in ones until it is tuned.
// docs/lessons.md, "Mali", names the page that describes how the shipped starter profiles were
// made.
#pragma once

#include <string>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "profiles/profile.hpp"

namespace tilewright {

// A kernel that a model has chosen.
struct ChosenKernel {
  ParameterPoint point;  // a gemm point
  double gflops = 0.0;   // predicted for large products
};

// Parses lines that contain a predicted rate in GFLOPS, a tab, and a point. Throws UsageError with
// the number of the first invalid line.
std::vector<ChosenKernel> parse_chosen(const std::string& text);

// Returns a starter profile for the GPU `paper.gpu`: the chosen kernels, and the pack kernels for
// their operands. The profile's limits are the smallest that the kernels need. Throws UsageError if
// `paper` has no GPU facts, or if a point is not valid for the device.
Profile starter_profile(const DeviceInfo& paper, const std::vector<ChosenKernel>& chosen,
                        const std::string& command_line);

}  // namespace tilewright
