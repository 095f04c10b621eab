// How is a profile's text read?
//
// Profiles are TOML of a simple form (docs/profile-format.md): one statement a line, [table],
// [[table]] or key = value, with bare keys, and values that are strings, numbers, booleans or short
// arrays of numbers. No more is understood, which bounds memory and stack whatever the text: TOML
// can spell a million nested tables in one line. (A library read it before; toml++ 3.3 has
// undefined behaviour for some malformed headers and arrays, so that its text had to be read
// twice.)
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilewright {

using TomlNumber = std::variant<std::int64_t, double, bool>;  // or boolean
// The value of a key; monostate: of a table header.
using TomlValue =
    std::variant<std::monostate, std::int64_t, double, bool, std::string, std::vector<TomlNumber>>;

struct TomlStatement {
  int line = 0;     // 1-based
  std::string key;  // dotted, as in ProfileError: "device.name", "kernel[3].tile"
  TomlValue value;
  std::string_view written;  // the value, a view into the text
};

struct TomlText {
  std::vector<TomlStatement> statements;  // up to and with the one in which the error is
  std::map<std::string, std::size_t, std::less<>> index;  // of each key's statement
  std::map<std::string, int, std::less<>> num_entries;    // of each array of tables
  std::optional<std::string> error;                       // what is wrong with the text
  int error_line = 0;

  // nullptr: there is none.
  const TomlStatement* find(std::string_view key) const;
};

TomlText read_toml(std::string_view text);

// The last statement that begins on or before `line`: its dotted key. Empty if there is none.
std::string key_at_line(const TomlText& text, int line);

// The line of the statement with that dotted key (of an array of tables: of its first entry) or,
// where there is none, of the innermost table that is.
int line_of_key(const TomlText& text, std::string_view dotted);

}  // namespace tilewright
