// What may kernels use on a device that is not here, and what is known of it?
//
// A limits file is TOML with every limit by its name (docs/parameters.md), so that the space of a
// board can be looked at from any machine. Files for devices that are known by name are built into
// the program (profiles/limits/), and so found wherever it runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codelets/model/gpu_facts.hpp"
#include "codelets/model/merit.hpp"
#include "codelets/point/validity.hpp"
#include "profiles/profile.hpp"

namespace tilewright {

// What the search's models are told of a GPU, here or on paper. `gpu`: what is known of it, if
// anything.
DeviceHints gpu_hints(int native_vector_width, bool local_memory_is_dedicated, const GpuFacts& gpu);

struct DeviceOnPaper {
  std::string name;  // as it was asked for
  SpaceLimits limits;
  GpuFacts gpu;  // of the file's table [gpu]; not known() if it has none
  // What drivers call the GPU, for names_kind(): its name and its aliases.
  std::string kinds;

  DeviceHints hints() const;
};

// By the name of a known device, or else from a file of that path. Strict: all limits, nothing
// else, each of its type and range; all facts of the GPU or none. Throws ProfileError with file,
// line and key of the first thing that is wrong.
DeviceOnPaper read_device(const std::string& name_or_path);
// Its limits.
SpaceLimits read_limits(const std::string& name_or_path);

// Names of the known devices, in alphabetical order.
std::vector<std::string> known_devices();

// The known GPU that a device is: its name tells that of a limits file, or, as Qualcomm has it, its
// version does. Of several the one with as many compute units, or else the first. Not known() if
// there is none.
GpuFacts known_gpu(const DeviceIdentity& device);

}  // namespace tilewright
