// What can the program be told to do?
//
// Each function adds one subcommand with its options; its body runs as the subcommand's callback
// and throws on failure (main.cpp turns exceptions into a message and an exit code).
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tilewright {

void add_devices_command(CLI::App& app);
// `exit_code` becomes 1 if something is to be mended.
void add_doctor_command(CLI::App& app, int& exit_code);
// `command_line` goes into the provenance of the profile. A tuning that the user stops is no
// failure and no success: `exit_code` becomes 130.
void add_tune_command(CLI::App& app, const std::string& command_line, int& exit_code);
void add_merge_command(CLI::App& app, const std::string& command_line);
void add_report_command(CLI::App& app);
void add_profiles_command(CLI::App& app);
// `exit_code` becomes 1 if the user does not want it.
void add_show_command(CLI::App& app);
void add_check_command(CLI::App& app, int& exit_code);
void add_emit_command(CLI::App& app);
void add_space_command(CLI::App& app);
// `command_line` goes into the report; `exit_code` becomes 1 if something crashed.
void add_bench_command(CLI::App& app, const std::string& command_line, int& exit_code);
void add_explain_command(CLI::App& app);
// `exit_code` becomes 1 if a kernel is not right.
void add_verify_command(CLI::App& app, int& exit_code);
// Hidden: what `tune` starts to do its work on the device.
void add_worker_command(CLI::App& app);
// A command of commands. `command_line` and `exit_code` as of add_tune_command().
void add_mlp_command(CLI::App& app, const std::string& command_line, int& exit_code);
void add_starter_command(CLI::App& app);

}  // namespace tilewright
