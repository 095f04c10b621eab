// Counts the points of a space with progress, for spaces that take longer than a moment.
#pragma once

#include <functional>

#include "codelets/space/space.hpp"

namespace tilewright {

// Receives the share of the count that is done: it grows to 1, not quite evenly.
using CountProgress = std::function<void(double share)>;

// The same as Space::count().
SpaceCount count_points(const Space& space, const CountProgress& progress);

}  // namespace tilewright
