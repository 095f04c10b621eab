// Parses the values of a TOML text. Private to profiles.
//
// Strings and numbers follow TOML 1.0, without multi-line strings with escapes, non-decimal numbers
// and underscores in numbers.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "profiles/toml_subset.hpp"

namespace tilewright {

// Parses a number or boolean. Returns nullopt if it is neither, or does not fit into 64 bits.
std::optional<TomlNumber> parse_toml_number(std::string_view word);

// Returns the value of a basic string (given without its double quotes), or nullopt if it contains
// an invalid escape.
std::optional<std::string> unescape_toml(std::string_view text);

// Position of the first byte that TOML does not allow anywhere, or npos. These are control
// characters except tab and line feed, and bytes that are not UTF-8.
std::size_t find_forbidden(std::string_view text);

}  // namespace tilewright
