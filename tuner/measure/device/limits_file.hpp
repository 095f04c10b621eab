// Reads limits files, which describe devices that need not be present.
//
// A limits file is a TOML file with a value for every limit (docs/parameters.md), so that the
// search space of a board can be examined on any machine. The files of known GPUs
// (profiles/limits/) are built into the program.
#pragma once

#include <string>
#include <vector>

#include "profiles/device_info.hpp"

namespace tilewright {

// Sets the fields of `device` that follow from the facts about a GPU: the minimum size of a
// work-group (its preferred multiple; 32 if that is not known), that work-items run side by side,
// and the facts themselves. `gpu` may be unknown.
void set_gpu(DeviceInfo& device, const GpuFacts& gpu);

// Returns the description of a GPU, given the name of a known device or else the path of a limits
// file. The file must contain every limit and no other keys, each with the right type and range.
// The [gpu] table must be complete or absent. Throws ProfileError with the file, line and key of
// the first error.
DeviceInfo read_device(const std::string& name_or_path);

// Returns the names of the known devices in alphabetical order.
std::vector<std::string> known_devices();

// Returns the facts about the known GPU that matches a device. A GPU matches if the name of the
// device contains its name; the driver version is searched, too, because Qualcomm puts the name
// there. If several GPUs match, the one with the same number of compute units is returned, or else
// the first one. Returns facts whose known() is false if none matches.
GpuFacts known_gpu(const DeviceIdentity& device);

}  // namespace tilewright
