#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/commands/commands_mlp.hpp"

namespace tilewright {
void add_mlp_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  CLI::App* mlp =
      app.add_subcommand("mlp", "Run, measure, tune for and convert fully connected networks");
  mlp->require_subcommand(1);
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
