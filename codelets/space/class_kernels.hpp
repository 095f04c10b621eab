// Which kernels does each class of devices get before any tuning?
#pragma once

#include "profiles/profile.hpp"

namespace tilewright {

// Adds to a generic profile the kernels of all classes, with models (built_in.hpp). None needs
// aligned operands unless another one of its class does not.
void add_class_kernels(Profile& generic);

}  // namespace tilewright
