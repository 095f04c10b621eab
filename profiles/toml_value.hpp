// What does a value of a TOML text mean? Private to profiles.
//
// Strings and numbers as TOML 1.0 has them, but for multi-line strings with escapes, and numbers
// other than decimal ones without underscores.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/toml_subset.hpp"

namespace tilewright {

// A number or boolean; nullopt: it is none, or does not fit 64 bits.
std::optional<TomlNumber> parse_toml_number(std::string_view word);

// What a basic string (in double quotes, which are left out) stands for; nullopt: an escape in it
// is none.
std::optional<std::string> unescape_toml(std::string_view text);

// Where the first byte is that TOML allows nowhere, or npos: control characters but tab and line
// feed, and what is not UTF-8.
std::size_t find_forbidden(std::string_view text);

}  // namespace tilewright
