// The profile that tests parse, write and damage.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "edited_profile.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {

// Two plain gemm kernels, a pack kernel, one kernel of each other kind, two results and one pack
// result.
Profile sample_profile();

// A valid kernel source with the entry `entry`.
std::string sample_source(const std::string& entry);

// The text of `profile` in which kernel `index` has another source, with matching digests.
std::string with_source(const Profile& profile, std::size_t index, const std::string& source);

// The 1-based line of the first `needle` in `text`; 0 if there is none.
int line_number(std::string_view text, std::string_view needle);

// The error of parse_profile() for `text`, or nullopt.
std::optional<ProfileError> find_refusal(std::string_view text);

// Checks that parsing the text of `profile` gives the same profile and the same text.
void check_round_trip(const Profile& profile);

}  // namespace tilewright
