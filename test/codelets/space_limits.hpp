// Limits of devices for tests of spaces and rules: a large device with images, and a small one.
#pragma once

#include <cstdint>
#include <limits>

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
inline constexpr SpaceLimits kLimits{{256, {256, 256}, 32768, true, true}, 16, 128, kNoLimit};
inline constexpr SpaceLimits kSmall{{8, {8, 8}, 1024, true, false}, 16, 24, kNoLimit};

}  // namespace tilewright
