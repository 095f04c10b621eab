// Which part of TOML does a profile use, and does a text keep to it?
//
// One statement a line: [table], [[table]] or key = value, with bare keys, and values that are
// strings, numbers, booleans or short arrays of numbers (docs/profile-format.md). Only text of this
// form is given to the TOML parser. That bounds its memory and stack, for TOML can spell a million
// nested tables in one line, and keeps text from anywhere away from its corners: toml++ 3.3 has
// undefined behaviour for some malformed headers and arrays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct TomlStatement {
  int line;                // 1-based
  std::string key;         // dotted, as in ProfileError; of a table header: the table
  std::string_view value;  // as written, a view into the text; empty for a table header
};

struct TomlOutline {
  std::vector<TomlStatement> statements;  // up to and with the one in which the error is
  std::optional<std::string> error;       // why the text is not of the form above
  int error_line = 0;
};

TomlOutline outline_of(std::string_view text);

// The last statement that begins on or before `line`: its dotted key. Empty if there is none.
std::string key_at_line(const TomlOutline& outline, int line);

}  // namespace tilewright
