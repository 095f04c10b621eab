// What is a kernel for floats with elements of another type?
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiles/profile.hpp"

namespace tilewright {

// What stands before such code: a line that asks for the type, or nothing.
std::string asking_for(Precision);

// Code for floats with "double4" for "float4", "0.0" for "0.0f", and so on: in double precision
// nothing else differs. That of single precision as it is.
std::string in_precision(std::string_view code, Precision);

// The kernel as the codelets emit its point with that precision, made from its text alone. nullopt:
// it adds a bias, applies an activation, is for layers, uses images or relies on how many bytes a
// vector has; or it has a precision of its own.
std::optional<KernelRecord> retyped(const KernelRecord&, Precision);

// The kernels of that precision, and those that can be retyped; results and models under their new
// names. Of single precision: the profile as it is.
Profile retyped(const Profile&, Precision);

}  // namespace tilewright
