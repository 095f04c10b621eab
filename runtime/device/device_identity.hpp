// Who is this OpenCL device?
#pragma once

#include <CL/opencl.hpp>

#include <string>
#include <string_view>

#include "profiles/profile.hpp"

namespace tilewright {

// The identity as a profile records it. Throws Error if the driver does not answer.
DeviceIdentity identify(const cl::Device& device);

// All that the driver reports of the device. Throws Error if it does not answer.
DeviceInfo device_info(const cl::Device& device);

DeviceKind device_kind(const cl::Device& device);

// "OpenCL C 1.2" of "OpenCL C 1.2 v1.r14p0-01rel0-git(a79caef)": drivers add their revision to the
// language version, and a driver update does not make another device.
std::string language_version(std::string_view driver_answer);

// Does the device list the extension? "" every device does.
bool has_extension(const cl::Device& device, std::string_view extension);

}  // namespace tilewright
