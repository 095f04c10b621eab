// The tilewright program.
#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "profiles/printable.hpp"
#include "profiles/version.hpp"
#include "tuner/commands.hpp"
#include "tuner/usage_error.hpp"

namespace {

enum ExitCode { kSuccess = 0, kFailure = 1, kUsage = 2 };

std::string joined(int argc, char** argv) {
  std::string text = "tilewright";
  for (int i = 1; i < argc; ++i) {
    text += ' ';
    text += tilewright::printable(argv[i]);
  }
  return text;
}

int fail(ExitCode code, const char* message) {
  // Not fmt::print, which throws where the terminal is gone.
  std::fprintf(stderr, "tilewright: %s\n", message);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app{"Tunes SGEMM for an OpenCL device, once, and measures what the profile serves."};
  app.set_version_flag("--version", std::string("tilewright ") + tilewright::kVersion);
  tilewright::add_devices_command(app);
  int exit_code = kSuccess;
  tilewright::add_doctor_command(app, exit_code);
  tilewright::add_tune_command(app, joined(argc, argv), exit_code);
  tilewright::add_merge_command(app, joined(argc, argv));
  tilewright::add_show_command(app);
  tilewright::add_check_command(app);
  tilewright::add_emit_command(app);
  tilewright::add_space_command(app);
  tilewright::add_bench_command(app, joined(argc, argv));
  tilewright::add_explain_command(app);
  tilewright::add_verify_command(app, exit_code);
  tilewright::add_worker_command(app);
  tilewright::add_replay_command(app);
  tilewright::add_mlp_command(app, joined(argc, argv), exit_code);
  tilewright::add_starter_command(app, joined(argc, argv));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  if (app.get_subcommands().empty()) {
    fmt::print(stderr, "{}", app.help());
    return kUsage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const tilewright::UsageError& error) {
    return fail(kUsage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kFailure, "the host is out of memory");
  } catch (const std::exception& error) {
    return fail(kFailure, error.what());
  }
}
