// The kernels that a device uses if nobody has tuned it.
#pragma once

#include "profiles/profile.hpp"

namespace tilewright {

// Kernels that any device can run. For products: for each of NN, NT and TN a small register-blocked
// kernel (work-groups of 64) and a scalar kernel (work-groups of 1) for devices that allow no more,
// and pack kernels in the same two sizes. For networks, in row-major order: every activation with a
// bias per column (work-groups of 64), and softmax (work-groups of 1). Kernels are listed in order
// of preference. A tuning always measures them, because they are what applications would use
// without a profile.
Profile basic_profile();

// The contents of profiles/data/generic.toml: basic_profile(), followed by the kernels of each
// device class (class_kernels.hpp). `tilewright emit --generic` prints it.
Profile generic_profile();

}  // namespace tilewright
