#include <fmt/ranges.h>

#include <vector>

#include "profiles/base/usage_error.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/commands/commands_mlp.hpp"

namespace tilewright {
namespace {

// Used instead of CLI11's require_subcommand(), whose error does not name an unknown command.
void expect_command(const CLI::App& mlp) {
  if (!mlp.get_subcommands().empty()) return;
  std::vector<std::string> names;
  for (const CLI::App* command : mlp.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  throw UsageError(
      fmt::format("mlp: a command is missing; choose one of {}", fmt::join(names, ", ")));
}

}  // namespace

void add_mlp_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  CLI::App* mlp =
      app.add_subcommand("mlp", "Run, measure, tune for and convert fully connected networks");
  mlp->callback([mlp] { expect_command(*mlp); });
  add_mlp_info(*mlp);
  add_mlp_run(*mlp);
  add_mlp_bench(*mlp, command_line, exit_code);
  add_mlp_tune(*mlp, command_line, exit_code);
  add_mlp_convert(*mlp);
  mlp->footer(
      "Examples:\n"
      "  tilewright mlp info model.onnx\n"
      "  tilewright mlp run model.onnx --input samples.npy --output results.npy\n"
      "\n"
      "Run 'tilewright mlp COMMAND --help' for the options of a command.");
}

}  // namespace tilewright
