#include <fmt/format.h>

#include <memory>

#include "profiles/base/read_file.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/measure/device/limits_file.hpp"
#include "tuner/search/starter.hpp"
#include "tuner/tuning/same_file.hpp"

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
    if (chosen.empty()) throw UsageError("no kernels");
    return chosen;
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--kernels: {}: {}", path, error.what()));
  }
}

// The provenance contains no file names, because shipped profiles may be made in any folder.
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
  command->add_option("--limits", a->limits, "known device, such as mali-t628, or limits file")
      ->required();
  command
      ->add_option("--kernels", a->kernels,
                   "file of them: predicted GFLOPS, a tab, and a point on each line")
      ->required();
  command->add_option("--output", a->output, "profile to write")->required();
  command->callback([a] { run_starter(*a); });
}

}  // namespace tilewright
