// Sets the format of --help for the program and all its commands: that of CLI11, with lines that
// are wrapped to the width of the terminal.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>

namespace tilewright {

// What the help calls a value that parse_duration() reads. A help text with such a value ends with
// a line that explains it.
inline constexpr const char* kTimeValue = "TIME";

// Breaks the text into lines of at most the width of the terminal and kMaxColumns (shares.hpp).
std::string wrapped_help(const std::string& text, std::size_t indent, bool indents);

// Must be called before commands are added, which inherit the format.
void set_help_format(CLI::App& app);

}  // namespace tilewright
