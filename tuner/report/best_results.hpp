// Selects the fastest result of a profile for each product.
#pragma once

#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

// Returns the best result for each op and shape, ordered by op and size. Only plain products
// without bias and activation in measured_precision() count.
std::vector<const ShapeResult*> best_results(const Profile& profile);

}  // namespace tilewright
