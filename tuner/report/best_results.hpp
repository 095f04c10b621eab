// What is the fastest that a profile has for each product?
#pragma once

#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

// The best result on each (op, shape), in the order of ops and sizes; of plain products, without
// bias and activation, in one precision (measured_precision).
std::vector<const ShapeResult*> best_results(const Profile& profile);

}  // namespace tilewright
