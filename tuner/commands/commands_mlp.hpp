// What can `tilewright mlp` be told to do?
//
// Each function adds one subcommand to `mlp`, as those of commands.hpp do to the program.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tilewright {

void add_mlp_info(CLI::App& mlp);
void add_mlp_run(CLI::App& mlp);
// `command_line` goes into the report; `exit_code` becomes 1 if something crashed.
void add_mlp_bench(CLI::App& mlp, const std::string& command_line, int& exit_code);
void add_mlp_convert(CLI::App& mlp);
// `command_line` and `exit_code` as of add_tune_command().
void add_mlp_tune(CLI::App& mlp, const std::string& command_line, int& exit_code);

}  // namespace tilewright
