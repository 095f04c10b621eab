#include <fmt/format.h>

#include <memory>

#include "profiles/base/read_file.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/measure/device/limits_file.hpp"
#include "tuner/search/starter.hpp"
#include "tuner/tuning/tuning_files.hpp"

namespace tilewright {
namespace {

struct StarterArguments {
  std::string limits;
  std::string kernels;
  std::string output;
};

std::string read_text(const std::string& path) {
  FileContent content = read_file(path);
  if (!content.failure.empty()) {
    throw UsageError(fmt::format("--kernels: {}: {}", path, content.failure));
  }
  return std::move(content.bytes);
}

std::vector<ChosenKernel> read_chosen(const std::string& path) {
  const std::string text = read_text(path);
  try {
    const auto chosen = parse_chosen(text);
    if (chosen.empty()) throw UsageError("the file lists no kernels");
    return chosen;
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--kernels: {}: {}", path, error.what()));
  }
}

// The provenance names no files: shipped profiles must not depend on the folder they were made in.
void run_starter(const StarterArguments& arguments) {
  refuse_input("--output", arguments.output, {arguments.limits, arguments.kernels});
  const DeviceInfo paper = read_device(arguments.limits);
  const std::string command_line = "tilewright starter --limits " + arguments.limits;
  const Profile profile = starter_profile(paper, read_chosen(arguments.kernels), command_line);
  write_file_atomically(arguments.output, write_profile(profile));
  print_path(arguments.output);
}

}  // namespace

void add_starter_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "starter", "Write a profile of predicted kernels for a known device that is not here");
  auto a = std::make_shared<StarterArguments>();
  add_limits_option(*command, a->limits)->required();
  command
      ->add_option("--kernels", a->kernels,
                   "File with a line for each kernel: predicted GFLOPS, a tab, and the point")
      ->type_name("FILE")
      ->required();
  command->add_option("--output", a->output, "Profile to write")->type_name("FILE")->required();
  command->callback([a] { run_starter(*a); });
}

}  // namespace tilewright
