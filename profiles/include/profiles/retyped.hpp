// Makes kernels for double and half precision from those for single precision.
#pragma once

#include <functional>
#include <optional>

#include "profiles/profile.hpp"

namespace tilewright {

// Returns the kernel that the codelets would emit for the same point in another precision. The text
// is the same except for the type definitions (type_prelude.hpp). Returns nullopt if the text has
// no such definitions, if the kernel is not of single precision, uses images, or writes half
// precision with non-temporal stores. For double precision also if it adds a bias, applies an
// activation, or is for network layers.
std::optional<KernelRecord> retyped(const KernelRecord&, Precision);

// Returns a profile with the kernels of the given precision and those that can be converted to it;
// results and models get the new names. For single precision it is the unchanged profile. `retype`
// converts a kernel.
using RetypeKernel = std::function<std::optional<KernelRecord>(const KernelRecord&)>;
Profile retyped(const Profile&, Precision, const RetypeKernel& retype);
Profile retyped(const Profile&, Precision);

}  // namespace tilewright
