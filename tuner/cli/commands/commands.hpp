// Adds the subcommands of the program.
//
// Each function adds one subcommand with its options. The subcommand runs as a callback and throws
// on failure; main.cpp turns exceptions into a message and an exit code.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tilewright {

void add_devices_command(CLI::App& app);
// `exit_code` is set to 1 if there are problems.
void add_doctor_command(CLI::App& app, int& exit_code);
// `command_line` is stored in the profile's provenance. If the user stops the tuning, `exit_code`
// is set to 130.
void add_tune_command(CLI::App& app, const std::string& command_line, int& exit_code);
void add_merge_command(CLI::App& app, const std::string& command_line);
void add_report_command(CLI::App& app);
void add_profiles_command(CLI::App& app);
void add_show_command(CLI::App& app);
// `exit_code` is set to 1 if launch facts differ from parameter points.
void add_check_command(CLI::App& app, int& exit_code);
void add_emit_command(CLI::App& app);
void add_space_command(CLI::App& app);
// `command_line` is stored in the report. `exit_code` is set to 1 if something crashed.
void add_bench_command(CLI::App& app, const std::string& command_line, int& exit_code);
void add_explain_command(CLI::App& app);
// `exit_code` is set to 1 if a kernel is wrong.
void add_verify_command(CLI::App& app, int& exit_code);
// Hidden; `tune` and other commands run it as a worker process.
void add_worker_command(CLI::App& app);
// Has subcommands of its own. `command_line` and `exit_code` are as for add_tune_command().
void add_net_command(CLI::App& app, const std::string& command_line, int& exit_code);
void add_starter_command(CLI::App& app);

// Subcommands of `tilewright net`.
void add_net_info(CLI::App& parent);
void add_net_run(CLI::App& parent);
// `command_line` is stored in the report. `exit_code` is set to 1 if something crashed.
void add_net_bench(CLI::App& parent, const std::string& command_line, int& exit_code);
void add_net_convert(CLI::App& parent);
// `command_line` and `exit_code` are as for add_tune_command().
void add_net_tune(CLI::App& parent, const std::string& command_line, int& exit_code);

}  // namespace tilewright
