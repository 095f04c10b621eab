// Explains a call for a device that is known only by a profile or its limits, and as JSON.
#pragma once

#include <string>

#include "runtime/api/explanation.hpp"

namespace tilewright {

// Returns the device of a tuned profile, described from the profile alone. A profile does not
// store the class of its device (device_class.hpp), but it knows the times of the built-in kernels
// of that class. So it is the class of whose kernels it names the most. If it names none, the kind
// of the device stays unknown.
DeviceInfo described_device(const Profile& tuned);

// Completes the description of a device that is not here: with images of the minimal size that
// OpenCL requires, and buffers of any size.
DeviceInfo complete_device(DeviceInfo device);

// Returns the contents of to_table() as JSON. Times are in us; null: not measured.
std::string to_json(const Explanation& explanation);

}  // namespace tilewright
