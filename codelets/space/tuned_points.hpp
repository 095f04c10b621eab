// Points that were fastest on tuned devices.
#pragma once

#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

// Returns gemm and gemv points in single precision that were in the tuned profiles of devices of
// the same class (device_class.hpp), without those that the built-in profile has. Not all of them
// are valid on the device. A search tries them; the library without a profile does not use them,
// because it can only guess times, and a wrong choice costs more than such a kernel gains.
std::vector<ParameterPoint> tuned_points(const DeviceInfo& device);

}  // namespace tilewright
