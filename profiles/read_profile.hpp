// Reads the tables of a profile. Private to profiles.
#pragma once

#include "profiles/built_in.hpp"
#include "profiles/profile.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {

// Reads the profile in the root table of a text. `generic` is used if it refers to built-in
// kernels. Throws ProfileError.
Profile read_profile(TomlTable root, const GenericProfile& generic);

}  // namespace tilewright
