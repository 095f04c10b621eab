// How long may a kernel take on a device of some class that nobody has measured?
#pragma once

#include "codelets/point/parameter_point.hpp"
#include "profiles/profile.hpp"

namespace tilewright {

// The model of a kernel for products on one compute unit of the class at 1 GHz. From its register
// tile and how it reads operands; a few numbers of each class, rounded, are as tuned profiles have
// them. Only good for choosing between built-in kernels.
KernelModel guessed_model(DeviceClass value, const ParameterPoint& point,
                          const KernelRecord& kernel);

}  // namespace tilewright
