// Joins a profile and a later tuning of the same device.
//
// These functions do not access a device.
#pragma once

#include <optional>
#include <string>

#include "profiles/profile.hpp"

namespace tilewright {

// Returns true if the profile has kernels for products of this type.
bool has_products(const Profile& profile, Precision precision);

// Returns a sentence that says why a tuning of `device` cannot be joined with the profile: it
// belongs to another device, it was made with other software (so its kernels have not been verified
// with the present one), or it was not tuned. Returns nullopt if it can be joined.
std::optional<std::string> obstacle_to_join(const Profile& profile, const DeviceIdentity& device);

// True if two kernels are compiled and launched alike. Comments may differ, and one of the two may
// be a reference to a built-in kernel.
bool is_same_kernel(KernelRecord a, KernelRecord b);

// Returns a profile with all kernels and results of both, without models (fit_models()). If both
// measured the same kernel, op and shape, the later result is used. If a kernel with the same name
// differs in more than comments, results of the earlier one are dropped. The provenance is
// that of the later tuning, and complete if both are complete. The rates are also those of the
// later tuning if it is for single precision; a tuning for another precision replaces only the
// multiply-adds in its own type. changed_built_in has the kernels whose results the profile lost
// when it was loaded and that the later tuning has not measured.
Profile join_profiles(const Profile& profile, const Profile& later);

// Returns the number of results of `profile` that `joined`, a result of join_profiles(), has not
// kept or replaced: those of kernels whose code has changed, or that fail now.
std::size_t num_dropped_results(const Profile& profile, const Profile& joined);

}  // namespace tilewright
