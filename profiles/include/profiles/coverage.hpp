// Determines which products the measurements of a tuned profile cover.
#pragma once

#include <cstdint>

#include "profiles/profile.hpp"

namespace tilewright {

// Measurements of a kernel cover products whose extents are at least 1 / kReach of the smallest
// measured ones.
inline constexpr std::int64_t kReach = 4;

// True if the tuning measured built-in kernels, which run without the profile. Tunings up to
// 2026-11-25 measured none.
bool has_baseline(const Profile& profile);

}  // namespace tilewright
