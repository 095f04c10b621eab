// Reads the subset of TOML that profiles and limits files use.
//
// They are TOML of a simple form (docs/profile-format.md): one statement per line, which is
// [table], [[table]] or key = value, with bare keys. Values are strings, numbers, booleans or short
// arrays of numbers. Nothing else is supported, which bounds memory and stack for any input: full
// TOML can describe a million nested tables in one line. (A library was used before, but toml++ 3.3
// has undefined behaviour for some malformed headers and arrays, so that every text had to be
// checked first.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright {

using TomlNumber = std::variant<std::int64_t, double, bool>;  // or a boolean
using TomlValue =
    std::variant<std::monostate, std::int64_t, double, bool, std::string, std::vector<TomlNumber>>;

// The largest number of keys in one table.
inline constexpr std::size_t kMaxTomlKeys = 256;

// A line "key = value".
struct TomlPair {
  std::string_view key;
  int line = 0;  // 1-based; of a value of several lines, the first
  TomlValue value;
  std::string_view written;  // the value as written
};

// A table, or one entry of an array of tables.
struct TomlSection {
  std::string_view name;     // "device.limits", "kernel"; empty for the root
  int entry = -1;            // 0-based index in its array of tables; -1 for a plain table
  int line = 1;              // line of its header
  bool is_implied = false;   // [a.b] was read, but no [a]
  std::size_t first = 0;     // index of its first pair; its pairs are consecutive
  std::size_t num_keys = 0;  // number of its pairs

  // The dotted key as in ProfileError: "device.limits", "kernel[3]".
  std::string path() const;
};

// A text that was read. Keys, names and written values are views into it.
struct TomlText {
  std::vector<TomlPair> pairs;
  std::vector<TomlSection> sections;  // the root first
  // Indices of sections: one for each table, all entries of each array of tables.
  std::map<std::string_view, std::vector<std::size_t>> by_name;
  std::optional<std::string> error;  // the error in the text, if any; all else is then incomplete
  int error_line = 0;
  std::string error_key;  // dotted key of the statement with the error; may be empty
};

// Reads all statements up to the first error. The result refers to `text`, which must outlive it.
TomlText read_toml(std::string_view text);

}  // namespace tilewright
