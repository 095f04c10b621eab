// Explains a call for a device that is known only by its limits, and as JSON.
#pragma once

#include <string>

#include "runtime/api/explanation.hpp"

namespace tilewright {

// Returns a device with these limits. It has images of the minimal size that OpenCL requires, and
// buffers of any size.
DeviceInfo minimal_device(const DeviceLimits& limits);

// Returns the contents of to_table() as JSON. Times are in us; null: not measured.
std::string to_json(const Explanation& explanation);

}  // namespace tilewright
