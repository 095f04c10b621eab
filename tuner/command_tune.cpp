#include <fmt/format.h>

#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>

#include "profiles/atomic_file.hpp"
#include "profiles/profile_text.hpp"
#include "tuner/commands.hpp"
#include "tuner/shapes.hpp"
#include "tuner/tune_progress.hpp"
#include "tuner/usage_error.hpp"

namespace tilewright {
namespace {

struct TuneArguments {
  std::string device;
  std::string shapes = "paper";
  std::string ops = "nn,nt,tn";
  std::string budget = "10m";
  std::string output;
  std::uint64_t seed = 1;
};

// A file name from a device name: "Mali-T628" becomes "mali-t628.toml".
std::string default_output(const std::string& device_name) {
  std::string file;
  for (const unsigned char c : device_name) {
    if (std::isalnum(c) != 0) {
      file += static_cast<char>(std::tolower(c));
    } else if (!file.empty() && file.back() != '-') {
      file += '-';
    }
  }
  while (!file.empty() && file.back() == '-') file.pop_back();
  return (file.empty() ? "device" : file) + ".toml";
}

// Finds out before the tuning, not after it, that its result could not be written.
void require_writable_folder(const std::string& output) {
  const std::filesystem::path folder = std::filesystem::absolute(output).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw UsageError(fmt::format("--output: {} is not a folder", folder.string()));
  }
  if (std::filesystem::is_directory(output)) {
    throw UsageError(fmt::format("--output: {} is a folder", output));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw UsageError(fmt::format("--output: {}: {}", folder.string(), std::strerror(errno)));
  }
}

void run_tune(const TuneArguments& arguments, const std::string& command_line) {
  TuneOptions options;
  options.shapes = parse_shapes(arguments.shapes);
  options.ops = parse_ops(arguments.ops, false);
  options.budget_s = parse_duration(arguments.budget);
  options.seed = arguments.seed;
  options.command_line = command_line;
  const std::vector<ListedDevice> devices = list_devices();
  const ListedDevice& device = choose_device(devices, arguments.device);
  const std::string output =
      arguments.output.empty() ? default_output(device.identity.name) : arguments.output;
  require_writable_folder(output);
  fmt::print(stderr, "tuning {} ({}) for {:g} s, seed {}\n", device.identity.name,
             device.identity.platform, options.budget_s, options.seed);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<WidthResult> multiply_adds = run_micro_benchmark(device);
  fmt::print(stderr, "{}\n", summary_of(multiply_adds));
  options.spellings = spellings_of(multiply_adds);
  options.peak_gflops = peak_gflops(multiply_adds);
  options.budget_s -=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  TuneProgress progress;
  const Profile profile = tune(device, options, progress);
  write_file_atomically(output, write_profile(profile));
  fmt::print("{}\n", output);
}

}  // namespace

void add_tune_command(CLI::App& app, const std::string& command_line) {
  CLI::App* command =
      app.add_subcommand("tune", "Find the device's best kernels and write its profile");
  auto a = std::make_shared<TuneArguments>();
  command->add_option("--device", a->device,
                      "number or part of the name; default: first GPU, else first");
  command->add_option("--shapes", a->shapes, "MxNxK,... or a file of them or paper or quick")
      ->capture_default_str();
  command->add_option("--ops", a->ops, "operand combinations")->capture_default_str();
  command->add_option("--budget", a->budget, "time to spend, such as 90s, 2m, 1h30m")
      ->capture_default_str();
  command->add_option("--seed", a->seed, "of data and search")->capture_default_str();
  command->add_option("--output", a->output, "profile to write; default: <device name>.toml");
  command->callback([a, command_line] { run_tune(*a, command_line); });
}

}  // namespace tilewright
