// What does the built-in profile say of one device?
//
// Its text has kernels for each class of devices (device_class.hpp), with models of a device of the
// class that has one compute unit and runs at 1 GHz; those of kernels for every device are of class
// gpu. In other classes such kernels come last. Nobody has measured either: times that follow
// are guesses, and so are those of kernels for halfs and doubles, which are made of the texts of
// those for floats. They need not be right, but put the kernels in the right order.
#pragma once

#include "profiles/profile.hpp"

namespace tilewright {

// A generic profile without the kernels of other classes, those of the device's own class first;
// with models, rates and compute units as expected of the device.
Profile for_device(Profile generic, const DeviceInfo& device);

// The profile that is embedded in this program, for a device.
Profile built_in_profile(const DeviceInfo& device);
// The same as if the device were of that class.
Profile built_in_profile(const DeviceInfo& device, DeviceClass value);

}  // namespace tilewright
