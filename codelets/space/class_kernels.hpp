// The built-in kernels of each device class, which untuned devices use.
#pragma once

#include "profiles/profile.hpp"

namespace tilewright {

// Adds the built-in kernels of every device class to the generic profile, and a guessed model for
// each product kernel in it (guessed_model.hpp). None of these kernels needs aligned operands.
void add_class_kernels(Profile& generic);

}  // namespace tilewright
