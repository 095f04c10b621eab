#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "tuner/bench/networks/network_argument.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/network_needs.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/run_tuning.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/cli/tuning_options.hpp"

namespace tilewright {
namespace {

struct NetTuneArguments {
  TuningArguments common;
  std::string model;
  std::string batches = "1,100";
  std::string precision = "s";
};

// Returns the suffix for the journal of a network. Each network has its own journal next to the
// shared profile: "board.toml.digits.journal.jsonl", or "board.toml.digits.h.journal.jsonl" for
// half precision.
std::string journal_ending(const std::string& model, Precision precision) {
  const std::string type =
      precision == Precision::kSingle ? "" : fmt::format(".{}", to_text(precision));
  const std::size_t colon = model.starts_with("preset:") ? model.find(':') + 1 : 0;
  return "." + std::filesystem::path(model.substr(colon)).stem().string() + type + ".journal.jsonl";
}

int run_net_tune(const NetTuneArguments& arguments, const std::string& command_line) {
  const Precision precision = parse_network_precision(arguments.precision);
  TuneOptions options = tuning_options(arguments.common, command_line);
  const NetworkNeeds needs = network_needs(read_network_argument(arguments.model, &options.inputs),
                                           parse_extents("--batch", arguments.batches));
  options.shapes = needs.shapes;
  options.ops = {Op::kNN};
  options.b_prepacked = true;
  options.activations = needs.activations;
  options.softmax = needs.softmax;
  set_precision(precision, options);
  options.journal_ending = journal_ending(arguments.model, precision);
  return run_tuning(options);
}

}  // namespace

void add_net_tune(CLI::App& parent, const std::string& command_line, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "tune", "Find the fastest kernels for a network and add them to a profile");
  auto a = std::make_shared<NetTuneArguments>();
  command->add_option("MODEL", a->model, kNetworkHelp)->required();
  command->option_defaults()->group("What to tune");
  command->add_option("--batch", a->batches, "Batch sizes")
      ->type_name("LIST")
      ->capture_default_str();
  add_network_precision_option(*command, a->precision);
  add_tuning_options(*command, a->common);
  command->footer(
      "Example:\n"
      "  tilewright net tune model.onnx --batch 1,100 --profile board.toml --budget 20m");
  command->callback([a, command_line, &exit_code] { exit_code = run_net_tune(*a, command_line); });
}

}  // namespace tilewright
