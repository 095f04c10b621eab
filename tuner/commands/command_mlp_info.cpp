#include <fmt/format.h>

#include <memory>

#include "tuner/commands/commands_mlp.hpp"
#include "tuner/networks/net_choice.hpp"
#include "tuner/networks/net_facts.hpp"
#include "tuner/terminal/say.hpp"

namespace tilewright {

void add_mlp_info(CLI::App& mlp) {
  CLI::App* command =
      mlp.add_subcommand("info", "Print a net's layers, parameters and flops (no device)");
  auto net = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("model", *net, kNetHelp)->required();
  command->add_flag("--json", *json, "print JSON");
  command->callback([net, json] {
    const NetFacts facts = facts_of(choose_net(*net));
    say_lines(*json ? to_json(*net, facts) + "\n" : to_table(*net, facts));
  });
}

}  // namespace tilewright
