// Guesses the run time of a kernel on a class of devices without measuring it.
#pragma once

#include "codelets/point/parameter_point.hpp"
#include "profiles/profile.hpp"

namespace tilewright {

// Model of a product kernel on one compute unit of the class at 1 GHz. It is derived from the
// register tile and from how operands are read, with a few rounded constants per class that are
// taken from tuned profiles. Use it only to choose between built-in kernels.
KernelModel guessed_model(DeviceClass value, const ParameterPoint& point,
                          const KernelRecord& kernel);

}  // namespace tilewright
