// Counts the points of a space and reports progress, for spaces that take long to count.
#pragma once

#include <functional>

#include "codelets/space/space.hpp"

namespace tilewright {

// Called with the fraction of the count that is done. It increases to 1, not quite evenly.
using CountProgress = std::function<void(double share)>;

// Returns the same as Space::count().
SpaceCount count_points(const Space& space, const CountProgress& progress);

}  // namespace tilewright
