// The definitions of what several commands print: shares, ratios, numbers of kernels, lines.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

// The launch floor as a share of a call's time. Both are medians of samples that took turns, so
// noise may make the floor the longer one: the share is 1 at most.
inline double launch_share(double launch_floor_ns, double call_ns) {
  return std::min(1.0, launch_floor_ns / call_ns);
}

// Returns the percentage of the peak as text: "89", or "-" if one of the two is not known. The peak
// is the largest rate seen, so a higher rate is 100 %.
std::string percent_of_peak(double gflops, double peak_gflops);

// tilewright's rate divided by a competitor's: above 1 tilewright is faster.
inline double speed_ratio(double own_ns, double other_ns) {
  return other_ns / own_ns;
}

// Returns the geometric mean, minimum and maximum, such as "1.35 (1.00 to 2.10)"; "not measured" if
// there are no ratios.
std::string ratios_text(const std::vector<double>& ratios);

// Returns for example "14 product kernels (7 built in) and 22 others".
std::string kernel_count_text(const Profile& profile);

// Returns the name of a platform (DeviceIdentity) without versions and build options that only
// matter to doctor: "PoCL 3.1+debian", "NVIDIA CUDA".
std::string short_platform(const std::string& platform);

// Returns the origin of a profile (origin_text()) with its file's name instead of the whole path.
std::string short_origin(const std::string& origin);

// Cuts a name to the width of a column.
std::string cut(std::string_view name, std::size_t width);

inline constexpr std::size_t kMaxColumns = 100;  // longer lines of output are hard to read

// Breaks the text into lines of at most `width` columns. The first line starts in column `indent`,
// the others start with as many blanks if `indents` is true.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent, bool indents);

}  // namespace tilewright
