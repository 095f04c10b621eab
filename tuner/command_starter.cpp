#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "profiles/atomic_file.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/commands.hpp"
#include "tuner/starter.hpp"
#include "tuner/usage_error.hpp"

namespace tilewright {
namespace {

struct StarterArguments {
  std::string limits;
  std::string kernels;
  std::string output;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw UsageError(fmt::format("--kernels: {}: {}", path, std::strerror(errno)));
  return text.str();
}

std::vector<ChosenKernel> read_chosen(const std::string& path) {
  const std::string text = text_of(path);
  try {
    const auto chosen = parse_chosen(text);
    if (chosen.empty()) throw UsageError("no kernels");
    return chosen;
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("--kernels: {}: {}", path, error.what()));
  }
}

void run_starter(const StarterArguments& arguments, const std::string& command_line) {
  const DeviceOnPaper paper = read_device(arguments.limits);
  const Profile profile = starter_profile(paper, read_chosen(arguments.kernels), command_line);
  write_file_atomically(arguments.output, write_profile(profile));
  fmt::print("{}\n", arguments.output);
}

}  // namespace

void add_starter_command(CLI::App& app, const std::string& command_line) {
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
  command->callback([a, command_line] { run_starter(*a, command_line); });
}

}  // namespace tilewright
