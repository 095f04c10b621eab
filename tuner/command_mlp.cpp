#include "tuner/commands.hpp"
#include "tuner/commands_mlp.hpp"

namespace tilewright {

void add_mlp_command(CLI::App& app, const std::string& command_line) {
  CLI::App* mlp = app.add_subcommand("mlp", "Run, measure and convert fully-connected nets");
  mlp->require_subcommand(1);
  add_mlp_info(*mlp);
  add_mlp_run(*mlp);
  add_mlp_bench(*mlp, command_line);
  add_mlp_convert(*mlp);
}

}  // namespace tilewright
