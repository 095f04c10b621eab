// Which kernels does a device get that nobody has tuned?
#pragma once

#include "profiles/profile.hpp"

namespace tilewright {

// What any device can run: for each of NN, NT and TN a small register-blocked kernel (work-group of
// 64) and a scalar one (work-group of 1) for devices that allow no more, and packing in the same
// two sizes; and for networks, row-major, each activation with a bias for each column (work-group
// of 64), and softmax (work-group of 1). Kernels stand in order of preference. Tunings measure them
// as what is served without a profile at the least.
Profile basic_profile();

// The profile behind profiles/data/generic.toml: the same, and behind it what each class of devices
// gets (class_kernels.hpp). `tilewright emit --generic` prints it.
Profile generic_profile();

}  // namespace tilewright
