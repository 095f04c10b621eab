// The built-in kernels of each device class, which untuned devices use.
#pragma once

#include "profiles/profile.hpp"

namespace tilewright {

// Adds the kernels of all classes, with models (built_in.hpp), to a generic profile. A kernel needs
// aligned operands only if its class has another kernel that does not.
void add_class_kernels(Profile& generic);

}  // namespace tilewright
