// Queries the identity and the properties of an OpenCL device.
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <string>
#include <string_view>

#include "profiles/profile.hpp"

namespace tilewright {

// The identity, as stored in profiles. Throws Error if a driver query fails.
DeviceIdentity identify(const cl::Device& device);

// Everything that the driver reports about the device. Throws Error if a driver query fails.
DeviceInfo device_info(const cl::Device& device);

// The kind of the device, from CL_DEVICE_TYPE. Throws Error if the query fails.
DeviceKind device_kind(const cl::Device& device);

// Extracts "OpenCL C 1.2" from "OpenCL C 1.2 v1.r14p0-01rel0-git(a79caef)". Drivers append their
// revision to the language version, but a driver update does not make it another device.
std::string language_version(std::string_view driver_answer);

// True if the device supports the extension, or if `extension` is "".
bool has_extension(const cl::Device& device, std::string_view extension);

}  // namespace tilewright
