#include "tuner/command_mlp_tune.hpp"
#include "tuner/commands.hpp"

namespace tilewright {

void add_mlp_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  CLI::App* mlp = app.add_subcommand("mlp", "Run, measure and convert fully-connected nets");
  mlp->require_subcommand(1);
  add_mlp_tune(*mlp, command_line, exit_code);
}

}  // namespace tilewright
