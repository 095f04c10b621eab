#include <fmt/format.h>

#include "profiles/base/usage_error.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/commands/commands_mlp.hpp"

namespace tilewright {
namespace {

// CLI11's require_subcommand() would not report an unknown word as such.
void expect_command(const CLI::App& mlp) {
  if (!mlp.get_subcommands().empty()) return;
  std::vector<std::string> names;
  for (const CLI::App* command : mlp.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  throw UsageError(fmt::format("mlp: a command is required, of {}", fmt::join(names, ", ")));
}

}  // namespace

void add_mlp_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  CLI::App* mlp = app.add_subcommand("mlp", "Run, measure and convert fully-connected nets");
  mlp->callback([mlp] { expect_command(*mlp); });
  add_mlp_info(*mlp);
  add_mlp_run(*mlp);
  add_mlp_bench(*mlp, command_line, exit_code);
  add_mlp_tune(*mlp, command_line, exit_code);
  add_mlp_convert(*mlp);
}

}  // namespace tilewright
