#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "tuner/bench/networks/network_argument.hpp"
#include "tuner/bench/networks/network_facts.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"

namespace tilewright {

void add_net_info(CLI::App& parent) {
  CLI::App* command = parent.add_subcommand(
      "info", "Print the layers of a network, with numbers of parameters and operations");
  auto net = std::make_shared<std::string>();
  auto output = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("MODEL", *net, kNetworkHelp)->required();
  command
      ->add_option("--output-name", *output,
                   "Only what this output of the network needs [default: all outputs]")
      ->type_name("NAME");
  add_json_flag(*command, *json);
  command->callback([net, output, json] {
    std::vector<std::string> used;
    if (!output->empty()) used.push_back(*output);
    NetworkModel model = read_network_argument(*net, nullptr, NetworkReading::kForSpeed, used);
    if (!output->empty()) model = with_output(model, *output);
    const NetworkFacts facts = make_network_facts(model);
    print_lines(*json ? to_json(*net, facts) + "\n" : to_table(*net, facts));
  });
}

void add_net_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  CLI::App* net =
      app.add_subcommand("net", "Run, measure, tune for and convert fully connected networks");
  net->alias("mlp");  // its name before 0.1.0
  net->require_subcommand(1);
  add_net_info(*net);
  add_net_run(*net);
  add_net_bench(*net, command_line, exit_code);
  add_net_tune(*net, command_line, exit_code);
  add_net_convert(*net);
  net->footer(
      "Examples:\n"
      "  tilewright net info model.onnx\n"
      "  tilewright net run model.onnx --input samples.npy --output results.npy\n"
      "\n"
      "Run 'tilewright net COMMAND --help' for the options of a command.");
}

}  // namespace tilewright
