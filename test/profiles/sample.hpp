// Which profile do the tests read, write and break?
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiles/profile_text.hpp"

namespace tilewright {

// Two plain gemm kernels, a pack kernel, one kernel each for what else there is, and two results
// and one of packing.
Profile sample_profile();

// A kernel's source that has the entry `entry` and nothing to object to.
std::string sample_source(const std::string& entry);

// `body` with the digest table that it needs.
std::string with_digest(std::string_view body);

// `text` (a whole profile) with the first `from` replaced by `to` and with a new profile digest.
std::string edited(std::string_view text, std::string_view from, std::string_view to);

// The text of `profile` in which kernel `index` has another source, all digests fitting.
std::string with_source(const Profile& profile, std::size_t index, const std::string& source);

// The 1-based line of the first `needle` in `text`; 0 if there is none.
int line_of(std::string_view text, std::string_view needle);

// What parse_profile() says against `text`, or nullopt.
std::optional<ProfileError> refusal_of(std::string_view text);

}  // namespace tilewright
