// Finds the profile that a device uses without the result of a tuning.
#pragma once

#include <string>

#include "profiles/device_info.hpp"

namespace tilewright {

// Returns the path of the profile that applications use on the device without the file `output`,
// not including its fallback; "" if they use the built-in kernels, or if that cannot be determined.
std::string used_profile(const DeviceIdentity& device, const std::string& output);

}  // namespace tilewright
