// Reads the subset of TOML that profiles use.
//
// Profiles are TOML of a simple form (docs/profile-format.md): one statement per line, which is
// [table], [[table]] or key = value, with bare keys. Values are strings, numbers, booleans or short
// arrays of numbers. Nothing else is supported, which bounds memory and stack for any input: full
// TOML can describe a million nested tables in one line. (A library was used before, but toml++ 3.3
// has undefined behaviour for some malformed headers and arrays, so that every text had to be
// checked first.)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright {

using TomlNumber = std::variant<std::int64_t, double, bool>;  // or a boolean
// The value of a key; monostate for a table header.
using TomlValue =
    std::variant<std::monostate, std::int64_t, double, bool, std::string, std::vector<TomlNumber>>;

// One line of the text.
struct TomlStatement {
  int line = 0;     // 1-based
  std::string key;  // dotted, as in ProfileError: "device.name", "kernel[3].tile"
  TomlValue value;
  std::string_view written;  // the value as written, a view into the text
};

// A text that was read.
struct TomlText {
  std::vector<TomlStatement> statements;  // up to and including the one with the error
  std::map<std::string, std::size_t, std::less<>> index;  // index of the statement of each key
  std::map<std::string, int, std::less<>> num_entries;  // number of entries of each array of tables
  std::optional<std::string> error;                     // the error in the text, if any
  int error_line = 0;

  // Returns the statement of the key, or nullptr.
  const TomlStatement* find(std::string_view key) const;
};

// Reads all statements up to the first error. The result refers to `text`, which must outlive it.
TomlText read_toml(std::string_view text);

// The dotted key of the last statement that starts at or before `line`; empty if there is none.
std::string key_at_line(const TomlText& text, int line);

// The line of the statement with this key (for an array of tables, of its first entry). If there is
// none, the line of the innermost table that exists.
int line_of_key(const TomlText& text, std::string_view dotted);

}  // namespace tilewright
