// Formats a device's rates as text for people.
#pragma once

#include <string>
#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

// Returns the lines of a table: each figure with its unit, then the multiply-adds by vector width
// and form.
std::vector<std::string> rates_text(const DeviceRates& rates);

}  // namespace tilewright
