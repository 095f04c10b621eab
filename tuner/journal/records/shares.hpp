// The definitions of the shares and ratios that several commands print.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace tilewright {

// The launch floor as a share of a call's time. Both are medians of samples that took turns, so
// noise may make the floor the longer one: the share is 1 at most.
inline double launch_share(double launch_floor_ns, double call_ns) {
  return std::min(1.0, launch_floor_ns / call_ns);
}

// Returns the percentage of the peak as text: "89", or "-" if one of the two is not known. Speeds
// above the peak raise it (raise_peaks()), unless there were too few samples: these are ">100".
inline std::string percent_of_peak(double gflops, double peak_gflops) {
  if (!(gflops > 0.0) || !(peak_gflops > 0.0)) return "-";
  const std::string percent = fmt::format("{:.0f}", 100.0 * std::min(1.0, gflops / peak_gflops));
  return gflops > 1.005 * peak_gflops ? ">100" : percent;
}

// tilewright's rate divided by a competitor's: above 1 tilewright is faster.
inline double speed_ratio(double own_ns, double other_ns) {
  return other_ns / own_ns;
}
inline constexpr const char* kRatioMeaning =
    "ratio: tilewright's rate divided by the competitor's, above 1 tilewright is faster";

}  // namespace tilewright
