#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include "runtime/models/network_files.hpp"

#include "tuner/bench/networks/network_argument.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/tuning/tuning_files.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// Returns the path to write. If `output` is a folder (it exists, or its name ends in a slash), the
// file is NAME.json in that folder, where NAME is the name of the network; its matrices are written
// to the same folder.
std::string path_in(const std::string& output, const std::string& input) {
  const fs::path path(output);
  if (path.has_filename() && !fs::is_directory(path)) return output;
  fs::create_directories(path);
  const std::size_t colon = input.starts_with("preset:") ? input.find(':') + 1 : 0;
  return (path / fs::path(input.substr(colon)).stem()).string() + ".json";
}

void run_net_convert(const std::string& input, const std::string& output) {
  std::vector<std::string> inputs;
  const NetworkModel model = read_network_argument(input, &inputs);
  const std::string path = path_in(output, input);
  for (const std::string& file : written_network_files(model, path)) {
    refuse_input("output", file, inputs);
  }
  write_network_model(model, path);
  for (const NetworkOutput& out : model.outputs) {
    if (!out.is_transposed) continue;
    print(stderr,
          "tilewright: the output {} has one row per sample in {}; it is transposed in {}\n",
          in_quotes(out.name), path, input);
  }
  for (const NetworkSkippedOutput& skipped : model.skipped_outputs) {
    print(stderr, "tilewright: the {}output {} is left out: {}\n", skipped.is_first ? "first " : "",
          in_quotes(skipped.name), skipped.reason);
    if (!skipped.is_first) continue;
    print(stderr, "tilewright: programs that use the first output of {} get {}\n", path,
          in_quotes(numbered_outputs(model).front().name));
  }
  print_path(path);
}

}  // namespace

void add_net_convert(CLI::App& parent) {
  CLI::App* command =
      parent.add_subcommand("convert", "Write a network as ONNX, or as JSON with .npy matrices");
  auto input = std::make_shared<std::string>();
  auto output = std::make_shared<std::string>();
  command->add_option("MODEL", *input, kNetworkHelp)->required();
  command
      ->add_option("OUTPUT", *output,
                   "File to write, NAME.onnx or NAME.json, or a folder for NAME.json")
      ->required();
  command->footer("Example:\n  tilewright net convert model.onnx model.json");
  command->callback([input, output] { run_net_convert(*input, *output); });
}

}  // namespace tilewright
