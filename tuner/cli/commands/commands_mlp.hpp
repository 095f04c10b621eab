// Adds the subcommands of `tilewright mlp`, as commands.hpp adds those of the program.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tilewright {

void add_mlp_info(CLI::App& mlp);
void add_mlp_run(CLI::App& mlp);
// `command_line` is stored in the report. `exit_code` is set to 1 if something crashed.
void add_mlp_bench(CLI::App& mlp, const std::string& command_line, int& exit_code);
void add_mlp_convert(CLI::App& mlp);
// `command_line` and `exit_code` are as for add_tune_command().
void add_mlp_tune(CLI::App& mlp, const std::string& command_line, int& exit_code);

}  // namespace tilewright
