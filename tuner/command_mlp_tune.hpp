// How is a device tuned for one net?
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tilewright {

// Adds the subcommand. `command_line` and `exit_code` as of add_tune_command().
void add_mlp_tune(CLI::App& mlp, const std::string& command_line, int& exit_code);

}  // namespace tilewright
