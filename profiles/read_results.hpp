// Reads the [[result]] tables of a profile.
//
// A table has the results of one kernel, with a row for each shape.
#pragma once

#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "profiles/toml_subset.hpp"
#include "profiles/toml_table.hpp"

namespace tilewright {

// Reads all of them. Throws ProfileError.
std::vector<ShapeResult> read_results(TomlTable& root);

// Returns the place in the text of a key of a violation (profile_rules.hpp), which counts results:
// "result[7].low_ns" becomes "result[2].64x32x128".
std::string key_in_text(const TomlText& text, const Profile& profile, const std::string& key);

}  // namespace tilewright
