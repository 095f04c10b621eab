// Which products does a tuned profile know?
#pragma once

#include <cstdint>
#include <string>

#include "profiles/profile.hpp"

namespace tilewright {

// Measurements of a kernel say nothing of products with an extent below this fraction of the least
// one that was measured: 1 / kReach.
inline constexpr std::int64_t kReach = 4;

// True if the tuning measured built-in kernels that run without the profile. Profiles of tunings up
// to 2026-11-26, such as those shipped for the H100 and for PoCL, have no baseline.
bool has_baseline(const Profile& profile);

// The products that the results of a tuned profile do not reach, such as "NT, TN; NN with an extent
// below 64". Built-in kernels run there, as without the profile. "": it reaches all.
std::string uncovered_text(const Profile& profile);

}  // namespace tilewright
