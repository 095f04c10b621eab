#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "tuner/commands.hpp"
#include "tuner/network_choice.hpp"
#include "tuner/shapes.hpp"
#include "tuner/tuning_command.hpp"
#include "tuner/usage_error.hpp"

namespace tilewright {
namespace {

struct TuneArguments {
  TuningArguments common;
  std::string shapes = "paper";
  std::string ops = "nn,nt,tn";
  std::string shard = "1/1";
  std::string activations = "relu,identity";
};

// "2/8": the second of eight.
void parse_shard(const std::string& text, TuneOptions& options) {
  const char* end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, options.shard);
  bool ok = error == std::errc() && slash != end && *slash == '/';
  if (ok) {
    const auto [stop, rest] = std::from_chars(slash + 1, end, options.shards);
    ok = rest == std::errc() && stop == end;
  }
  if (!ok || options.shard < 1 || options.shards < options.shard) {
    throw UsageError(fmt::format("--shard: '{}' is no part such as 1/4", text));
  }
}

int run_tune(const TuneArguments& arguments, const std::string& command_line) {
  TuneOptions options = tuning_options(arguments.common, command_line);
  options.shapes = parse_shapes(arguments.shapes);
  options.ops = parse_ops(arguments.ops, false);
  options.activations = parse_activations("--activations", arguments.activations);
  options.softmax = !options.activations.empty();
  parse_shard(arguments.shard, options);
  return run_tuning(options);
}

}  // namespace

void add_tune_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("tune", "Find the device's best kernels and write its profile");
  auto a = std::make_shared<TuneArguments>();
  command
      ->add_option("--shapes", a->shapes,
                   std::string("MxNxK,..., a file of them, or one of ") + kShapePresets)
      ->capture_default_str();
  command->add_option("--ops", a->ops, "operand combinations")->capture_default_str();
  command
      ->add_option(
          "--activations", a->activations,
          "for networks: chosen kernels for NN are kept with a bias and each of these, too, "
          "of identity, relu, leaky_relu, sigmoid, tanh; none: nothing for networks")
      ->capture_default_str();
  command->add_option("--shard", a->shard, "part of the space, such as 2/8; see merge")
      ->capture_default_str();
  add_tuning_options(*command, a->common);
  command->callback([a, command_line, &exit_code] { exit_code = run_tune(*a, command_line); });
}

}  // namespace tilewright
