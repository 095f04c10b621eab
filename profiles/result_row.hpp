// Reads one row of a table of results. Private to profiles.
#pragma once

#include <string_view>

#include "profiles/profile.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {

// Reads the row "MxNxK = [low, median, high, samples]" into the result. Returns false if the key is
// not of that form. Throws ProfileError if the row violates a rule for profiles of this kind.
bool read_result_row(TomlTable& table, std::string_view key, ProfileKind kind, ShapeResult& result);

}  // namespace tilewright
