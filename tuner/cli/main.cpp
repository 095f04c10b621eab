// Contains main() of the program tilewright.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/version.hpp"
#include "tuner/cli/command_line_error.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/standard_output.hpp"
#include "tuner/journal/home_folder.hpp"
#include "tuner/measure/device/thread_pinning.hpp"

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
    // The terminal is gone; the exit code still reports the error.
  }
  return code;
}

// Prints the requested help or version, or the error in the command line. Returns the exit code.
int explain(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() != 0) return fail(kUsage, tilewright::command_line_error(app, error));
  std::ostringstream out;
  app.exit(error, out, out);
  tilewright::print_lines(out.str());
  return kSuccess;
}

// `command_line` is the command line as typed.
int run(int argc, const char* const* argv, const std::string& command_line) {
  CLI::App app{"Tunes GEMM for an OpenCL device, once, and measures what the profile serves."};
  app.set_version_flag("--version", std::string("tilewright ") + tilewright::kVersion);
  tilewright::add_devices_command(app);
  int exit_code = kSuccess;
  tilewright::add_doctor_command(app, exit_code);
  tilewright::add_tune_command(app, command_line, exit_code);
  tilewright::add_merge_command(app, command_line);
  tilewright::add_report_command(app);
  tilewright::add_profiles_command(app);
  tilewright::add_show_command(app);
  tilewright::add_check_command(app, exit_code);
  tilewright::add_emit_command(app);
  tilewright::add_space_command(app);
  tilewright::add_bench_command(app, command_line, exit_code);
  tilewright::add_explain_command(app);
  tilewright::add_verify_command(app, exit_code);
  tilewright::add_worker_command(app);
  tilewright::add_mlp_command(app, command_line, exit_code);
  tilewright::add_starter_command(app);
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

int run_and_tell(int argc, char** argv) {
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
    return fail(kFailure, "the host is out of memory");
  } catch (const std::exception& error) {
    return fail(kFailure, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  // With this, a write beyond `ulimit -f` is an error like any other, and partial output is
  // removed.
  std::signal(SIGXFSZ, SIG_IGN);
  tilewright::occupy_standard_descriptors();
  tilewright::reserve_standard_output();
  tilewright::pin_driver_threads();
  const int code = run_and_tell(argc, argv);
  // Output of the command may still be in a buffer, so losses are detected here, for all commands.
  const std::string lost = tilewright::lost_standard_output();
  if (lost.empty()) return code;
  tilewright::print(stderr, "tilewright: standard output is lost: {}\n", lost);
  return code == kSuccess ? kFailure : code;
}
