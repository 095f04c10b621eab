// What do people read of a device's rates?
#pragma once

#include <string>
#include <vector>

#include "profiles/profile.hpp"

namespace tilewright {

// A table, line by line: each figure with its unit, then the multiply-adds by vector width and
// form.
std::vector<std::string> rates_text(const DeviceRates& rates);

}  // namespace tilewright
