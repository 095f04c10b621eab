// What do a profile and a later tuning of the same device say together?
//
// Pure.
#pragma once

#include <optional>
#include <string>

#include "profiles/profile.hpp"

namespace tilewright {

// Why a tuning of `device` cannot be joined with the profile, as a sentence: it is of another
// device, was made under other software (its kernels were not verified under today's), or was never
// tuned. nullopt: it can.
std::optional<std::string> obstacle_to_join(const Profile& profile, const DeviceIdentity& device);

// All kernels and results of both. The later tuning has the last word: what both measured (kernel,
// op and shape) is as it says, and a kernel that has another text there, under the same name, is
// the later one, without the results of the earlier. Provenance is the later tuning's; complete if
// both are. Rates are, too, where the later tuning is of floats; one of another type has its word
// on the multiply-adds of that type only. What one alone measured is kept.
Profile join_profiles(const Profile& profile, const Profile& later);

}  // namespace tilewright
