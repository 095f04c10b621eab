// What is a kernel for floats with elements of another type?
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiles/profile.hpp"

namespace tilewright {

// What stands before the kernel's code: a line that asks for its types, or nothing.
std::string asking_for(const KernelRecord&);

// The code for floats of such a kernel, in its precision. Double: "double4" for "float4", "0.0" for
// "0.0f", and so on; nothing else differs. Half: half_storage.hpp.
std::string in_precision(std::string_view code, const KernelRecord&);

// The kernel as the codelets emit its point with that precision, made from its text alone. nullopt:
// it uses images, or streams halfs; of doubles, too, if it adds a bias, applies an activation or is
// for layers; or it has a precision of its own.
std::optional<KernelRecord> retyped(const KernelRecord&, Precision);

// The kernels of that precision, and those that can be retyped; results and models under their new
// names. Of single precision: the profile as it is.
Profile retyped(const Profile&, Precision);

}  // namespace tilewright
