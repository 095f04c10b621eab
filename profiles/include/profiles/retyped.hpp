// Makes kernels for double and half precision from those for single precision.
#pragma once

#include <functional>
#include <optional>

#include "profiles/profile.hpp"

namespace tilewright {

// The kernel as the codelets emit its point with that precision: its text with other definitions of
// types (type_prelude.hpp). nullopt if its text has none, if its precision is not single, if it
// uses images, if it streams halves, and, for double precision, if it adds a bias, applies an
// activation or is for layers.
std::optional<KernelRecord> retyped(const KernelRecord&, Precision);

// The kernels of that precision, and those that can be retyped; results and models under their new
// names. Of single precision: the profile as it is. `retype` makes the kernels, from any of the
// profile's.
using RetypeKernel = std::function<std::optional<KernelRecord>(const KernelRecord&)>;
Profile retyped(const Profile&, Precision, const RetypeKernel& retype);
Profile retyped(const Profile&, Precision);

}  // namespace tilewright
