// What may kernels use on a device that is not here?
//
// A limits file is TOML with every limit by its name (docs/parameters.md), so that the space of a
// board can be looked at from any machine.
#pragma once

#include <string>

#include "codelets/validity.hpp"

namespace tilewright {

// Strict: all limits, nothing else, each of its type and range. Throws ProfileError with file, line
// and key of the first thing that is wrong.
SpaceLimits read_limits(const std::string& path);

}  // namespace tilewright
