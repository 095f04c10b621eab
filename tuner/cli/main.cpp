// Contains main() of the program tilewright.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/version.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/help_format.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/journal/home_folder.hpp"
#include "tuner/measure/device/cpu_driver.hpp"

namespace {

enum ExitCode { kSuccess = 0, kFailure = 1, kUsage = 2 };

// Returns the command line as it is recorded in profiles, journals and reports: without the user's
// home folder.
std::string join_arguments(int argc, char** argv) {
  std::string text = "tilewright";
  for (int i = 1; i < argc; ++i) {
    text += ' ';
    text += tilewright::printable(argv[i]);
  }
  return tilewright::without_home(text);
}

int fail(ExitCode code, const std::string& message) {
  try {
    tilewright::print_lines(stderr, "tilewright: " + message + "\n");
  } catch (const std::exception&) {
    // The terminal is gone. The exit code still reports the failure.
  }
  return code;
}

// Prints the help or the version, or the error in the command line.
int explain(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) {
    // A misspelt name is the cause of a missing argument, so it is reported first.
    const std::vector<std::string> unknown = app.remaining(true);
    const std::string what = unknown.empty()
                                 ? error.what()
                                 : "unknown argument " + tilewright::in_quotes(unknown.front());
    return fail(kUsage, tilewright::printable(what) + "; see --help");
  }
  std::ostringstream out;
  app.exit(error, out, out);
  tilewright::print_lines(out.str());
  return kSuccess;
}

// Adds all commands, in the order of the help text, which shows them in groups.
void add_commands(CLI::App& app, const std::string& command_line, int& exit_code) {
  using namespace tilewright;
  const auto name_group = [&](const char* group, std::initializer_list<const char*> commands) {
    for (const char* command : commands) app.get_subcommand(command)->group(group);
  };
  add_doctor_command(app, exit_code);
  add_devices_command(app);
  name_group("Check the machine", {"doctor", "devices"});
  add_tune_command(app, command_line, exit_code);
  add_merge_command(app, command_line);
  name_group("Tune", {"tune", "merge"});
  add_bench_command(app, command_line, exit_code);
  add_explain_command(app);
  add_report_command(app);
  name_group("Measure and explain", {"bench", "explain", "report"});
  add_profiles_command(app);
  add_show_command(app);
  add_verify_command(app, exit_code);
  name_group("Profiles", {"profiles", "show", "verify"});
  add_net_command(app, command_line, exit_code);
  name_group("Networks", {"net"});
  add_emit_command(app);
  add_space_command(app);
  add_starter_command(app);
  add_check_command(app, exit_code);
  name_group("For developers", {"emit", "space", "starter", "check"});
  add_worker_command(app);
  app.footer(
      "Examples:\n"
      "  tilewright doctor                               # does OpenCL work here?\n"
      "  tilewright tune --budget 1h --output board.toml\n"
      "  tilewright bench --profile board.toml\n"
      "\n"
      "Run 'tilewright COMMAND --help' for the options of a command.");
}

// `command_line` is the command line as typed.
int run(int argc, const char* const* argv, const std::string& command_line) {
  CLI::App app{
      "tilewright tunes matrix multiplication (GEMM) for an OpenCL device. The fastest kernels are "
      "stored in a profile, which the tilewright library uses.",
      "tilewright"};
  tilewright::set_help_format(app);
  app.set_version_flag("--version", std::string("tilewright ") + tilewright::kVersion,
                       "Print the version");
  int exit_code = kSuccess;
  add_commands(app, command_line, exit_code);
  tilewright::refuse_bad_values(app);
  tilewright::refuse_missing_values(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  if (app.get_subcommands().empty()) {
    tilewright::print_lines(stderr, app.help());
    return kUsage;
  }
  return exit_code;
}

int run_and_report(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = 0; i < argc; ++i) arguments.push_back(tilewright::name_reserved_output(argv[i]));
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  pointers.push_back(nullptr);
  try {
    return run(argc, pointers.data(), join_arguments(argc, argv));
  } catch (const tilewright::UsageError& error) {
    return fail(kUsage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kFailure, "out of memory");
  } catch (const std::exception& error) {
    return fail(kFailure, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  // With this, a write beyond `ulimit -f` fails with an error, and temporary files are removed.
  std::signal(SIGXFSZ, SIG_IGN);
  tilewright::occupy_standard_descriptors();
  tilewright::reserve_standard_output();
  tilewright::pin_driver_threads();
  const int code = run_and_report(argc, argv);
  // Output may still be buffered, so errors can appear as late as here, for all commands.
  const std::string lost = tilewright::lost_standard_output();
  if (lost.empty()) return code;
  tilewright::print(stderr, "tilewright: cannot write to standard output: {}\n", lost);
  return code == kSuccess ? kFailure : code;
}
