// How does `tilewright explain` explain a call for a device that is not here, and to programs?
#pragma once

#include <string>

#include "runtime/api/explanation.hpp"

namespace tilewright {

// A device of which only these limits are known: images of the size that every OpenCL device with
// images has, buffers of any size.
DeviceInfo minimal_device(const DeviceLimits& limits);

// What to_table() says, as JSON; times in us, null where nothing was measured.
std::string to_json(const Explanation& explanation);

}  // namespace tilewright
