#include <fmt/format.h>

#include <memory>

#include "tuner/bench/networks/network_argument.hpp"
#include "tuner/bench/networks/network_facts.hpp"
#include "tuner/cli/commands/commands_mlp.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"

namespace tilewright {

void add_mlp_info(CLI::App& mlp) {
  CLI::App* command = mlp.add_subcommand(
      "info", "Print the layers of a network, with numbers of parameters and operations");
  auto net = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("MODEL", *net, kNetworkHelp)->required();
  add_json_flag(*command, *json);
  command->callback([net, json] {
    const NetworkFacts facts = make_network_facts(read_network_argument(*net));
    print_lines(*json ? to_json(*net, facts) + "\n" : to_table(*net, facts));
  });
}

}  // namespace tilewright
