// Maps kernels to the ways in which a fake worker misbehaves.
//
// A way is for example "segv@build": what happens, and before which step. Each way has its own
// kernel, because a supervisor sends nothing but kernels.
#pragma once

#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tuner/journal/records/kernel_id.hpp"

namespace tilewright {

inline constexpr const char* kWays[] = {"ok",
                                        "cannot",
                                        "segv@start",
                                        "segv@first-start",
                                        "segv@build",
                                        "segv@launch",
                                        "abort@build",
                                        "abort@launch",
                                        "exit@build",
                                        "half@launch",
                                        "error@build",
                                        "error@launch",
                                        "sleep@build",
                                        "error@first-start",
                                        "sleep@launch",
                                        "sleep@first-launch",
                                        "spin@build",
                                        "spin@launch",
                                        "memory@launch",
                                        "kill@launch",
                                        "kill@first-launch",
                                        "kill@first-start"};

inline KernelId kernel_that(std::string_view way) {
  constexpr int kTiles[] = {1, 2, 4, 8, 16};
  constexpr std::size_t kCount = std::size(kTiles);
  for (std::size_t i = 0; i < std::size(kWays); ++i) {
    if (way != kWays[i]) continue;
    GemmPoint point;
    point.split_k = 8;  // no other test uses this kernel
    point.tile_m = kTiles[i / kCount];
    point.tile_n = kTiles[i % kCount];
    return KernelId(point);
  }
  throw std::invalid_argument("no kernel is for " + std::string(way));
}

// Returns the way of a kernel, given its text; the text itself if the kernel has no way.
inline std::string kernel_way(const std::string& kernel) {
  for (const char* way : kWays) {
    if (kernel_that(way).text() == kernel) return way;
  }
  return kernel;
}

}  // namespace tilewright
