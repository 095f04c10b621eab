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

// `number` distinguishes kernels that behave in the same way.
inline KernelId kernel_that(std::string_view way, int number = 0) {
  constexpr int kTiles[] = {1, 2, 4, 8, 16};
  constexpr std::size_t kCount = std::size(kTiles);
  for (std::size_t i = 0; i < std::size(kWays); ++i) {
    if (way != kWays[i]) continue;
    GemmPoint point;
    point.split_k = 8;  // no other test uses this kernel
    point.tile_m = kTiles[i / kCount];
    point.tile_n = kTiles[i % kCount];
    point.work_group_m = 1 << number % 4;
    point.work_group_n = 1 << number / 4;
    return KernelId(point);
  }
  throw std::invalid_argument("no kernel is for " + std::string(way));
}

inline constexpr int kMaxOfWay = 12;

// Returns the number of a kernel that has a way.
inline int kernel_number(const KernelId& kernel) {
  for (int number = 0; number < kMaxOfWay; ++number) {
    for (const char* way : kWays) {
      if (kernel_that(way, number) == kernel) return number;
    }
  }
  throw std::invalid_argument(kernel.text() + " has no way");
}

// Returns the way of a kernel, given its text; the text itself if the kernel has no way.
inline std::string kernel_way(const std::string& kernel) {
  for (const char* way : kWays) {
    for (int number = 0; number < kMaxOfWay; ++number) {
      if (kernel_that(way, number).text() == kernel) return way;
    }
  }
  return kernel;
}

}  // namespace tilewright
