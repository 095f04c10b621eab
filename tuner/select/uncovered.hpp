// Determines which products a tuned profile does not cover.
#pragma once

#include <string>

#include "profiles/profile.hpp"

namespace tilewright {

// Returns the products for which the library on the device uses what it would use without the
// profile, because the profile has not measured that on similar products: "NT, TN; NN with an
// extent below 64". Empty if there are none. It asks the library's planner.
std::string uncovered_text(const Profile& profile, const DeviceInfo& device);

}  // namespace tilewright
