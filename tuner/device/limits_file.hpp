// What may kernels use on a device that is not here, and what is known of it?
//
// A limits file is TOML with every limit by its name (docs/parameters.md), so that the space of a
// board can be looked at from any machine. Files for devices that are known by name are built into
// the program (profiles/limits/), and so found wherever it runs.
#pragma once

#include <string>
#include <vector>

#include "profiles/device_info.hpp"

namespace tilewright {

// Sets what a tuning must know of a GPU, here or on paper, from what is known of it, if anything.
void set_gpu(DeviceInfo& device, const GpuFacts& gpu);

// A GPU by the name of a known device, or else from a file of that path. Strict: all limits,
// nothing else, each of its type and range; all facts of the GPU or none. Throws ProfileError with
// file, line and key of the first thing that is wrong.
DeviceInfo read_device(const std::string& name_or_path);

// Names of the known devices, in alphabetical order.
std::vector<std::string> known_devices();

// The known GPU that a device is: its name tells that of a limits file, or, as Qualcomm has it, its
// version does. Of several the one with as many compute units, or else the first. Not known() if
// there is none.
GpuFacts known_gpu(const DeviceIdentity& device);

}  // namespace tilewright
