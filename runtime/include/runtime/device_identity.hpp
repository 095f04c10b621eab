// Who is this OpenCL device?
#pragma once

#include <CL/opencl.hpp>

#include "profiles/profile.hpp"

namespace tilewright {

// The identity as a profile records it. Throws Error if the driver does not answer.
DeviceIdentity identify(const cl::Device& device);

}  // namespace tilewright
