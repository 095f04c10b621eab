// Formats what --help prints, for the program and all its commands.
//
// Options are printed in the groups that CLI::Option::group() names, options without a group last.
// A default value stands in brackets after the description. The footer of a command holds examples.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tilewright {

// What the help calls a value that parse_duration() reads. A help text with such a value ends with
// a line that explains it.
inline constexpr const char* kTimeValue = "TIME";

// A line of a table: "  NAME   DESCRIPTION".
struct HelpEntry {
  std::string name;
  std::string description;
};
// A title and a table with aligned descriptions, wrapped to the width of the terminal (at most 100
// columns). Empty if there are no entries.
std::string help_table(const std::string& title, const std::vector<HelpEntry>& entries);

// Sets the format of the help of `app`, and the texts of --help. Must be called before commands are
// added, which inherit both.
void set_help_format(CLI::App& app);

}  // namespace tilewright
