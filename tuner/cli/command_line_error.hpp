// Rewrites CLI11's errors as messages of this program, with suggestions for misspelt names.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tilewright {

// Returns the message for an error of app.parse(), for example "tune: unknown option '--bugdet';
// did you mean '--budget'? ...".
std::string command_line_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tilewright
