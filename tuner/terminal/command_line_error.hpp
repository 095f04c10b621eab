// Words CLI11's errors as the program's own messages, with the name that was probably meant.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tilewright {

// Why app.parse() failed: "tune: unknown option '--bugdet'; did you mean '--budget'? ...".
std::string command_line_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tilewright
