#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <tilewright/matrix_file.hpp>

#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "tuner/bench/networks/net_choice.hpp"
#include "tuner/bench/networks/net_facts.hpp"
#include "tuner/bench/networks/net_run.hpp"
#include "tuner/bench/profile_choice.hpp"
#include "tuner/cli/commands/commands_mlp.hpp"
#include "tuner/cli/device_list.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/tuning/same_file.hpp"

namespace tilewright {
namespace {

struct MlpRunArguments {
  std::string model;
  std::string input;
  std::string output;
  std::string labels;
  std::string batch = "100";
  std::string device;
  std::string profile;
  std::string precision = "s";
};

constexpr std::size_t kMaxOtherRows = 20;  // maximum number of rows that are listed

std::int64_t parse_batch(const MlpRunArguments& arguments) {
  const std::vector<std::int64_t> batches = parse_extents("--batch", arguments.batch);
  if (batches.size() != 1) throw UsageError("--batch: one number of rows is meant");
  return batches[0];
}

// The files are checked before the device is opened.
FloatMatrix read_input(const std::string& file, const NetFacts& facts) {
  FloatMatrix input = read_matrix(file);
  // A one-dimensional array is a row, except for a network with one input, where it must be a
  // column of samples.
  if (facts.inputs == 1 && input.is_one_dimensional) std::swap(input.rows, input.columns);
  if (input.columns != facts.inputs) {
    throw MatrixFileError(file, fmt::format("has {} columns, but the net takes {} inputs",
                                            input.columns, facts.inputs));
  }
  return input;
}

FloatMatrix read_labels(const std::string& file, std::int64_t rows, const NetFacts& facts) {
  if (facts.outputs < 2) throw UsageError("--labels: the net has one output, thus no largest");
  FloatMatrix labels = read_matrix(file);
  check_labels(labels, file, rows, facts.outputs);
  return labels;
}

void print_labelled(const FloatMatrix& outputs, const FloatMatrix& labels,
                    const std::string& file) {
  const std::vector<OtherClass> others = other_classes(outputs, labels);
  const std::int64_t count = outputs.rows - static_cast<std::int64_t>(others.size());
  print("{} of {} predictions equal {}", count, outputs.rows, file);
  if (outputs.rows > 0) {
    print(" ({:.2f} %)", 100.0 * static_cast<double>(count) / static_cast<double>(outputs.rows));
  }
  print("\n");
  for (const OtherClass& other : std::span(others).first(std::min(others.size(), kMaxOtherRows))) {
    if (std::isnan(other.margin)) {
      print("  row {}: an output is NaN, not {}\n", other.row + 1, other.label);
    } else {
      print("  row {}: {} by {:.3g}, not {}\n", other.row + 1, other.largest, other.margin,
            other.label);
    }
  }
  if (others.size() > kMaxOtherRows) print("  and {} more\n", others.size() - kMaxOtherRows);
}

void run_mlp_run(const MlpRunArguments& arguments) {
  const std::int64_t batch = parse_batch(arguments);
  const Precision precision = parse_net_precision(arguments.precision);
  if (arguments.output.empty() && arguments.labels.empty()) {
    throw UsageError("--output or --labels is required: what is to be done with the results?");
  }
  if (!arguments.output.empty()) check_matrix_extension(arguments.output);
  std::vector<std::string> inputs = {arguments.input};
  for (const std::string& file : {arguments.labels, arguments.profile}) {
    if (!file.empty()) inputs.push_back(file);
  }
  const MlpModel model = choose_net(arguments.model, &inputs);
  if (!arguments.output.empty()) refuse_input("--output", arguments.output, inputs);
  const NetFacts facts = make_net_facts(model);
  const FloatMatrix input = read_input(arguments.input, facts);
  FloatMatrix labels;
  if (!arguments.labels.empty()) labels = read_labels(arguments.labels, input.rows, facts);
  const DeviceList devices = list_devices();
  const ListedDevice& device = choose_device(devices, arguments.device);
  const NetRun run =
      run_net(device, choose_profile(arguments.profile), model, input, batch, precision);
  if (!arguments.output.empty()) write_matrix(run.outputs, arguments.output);
  print("{} rows in {} batches of at most {}{} on {} ({})\nprofile: {}\n", input.rows, run.batches,
        batch, of_elements(precision), device.identity.name, device.identity.platform, run.profile);
  if (!arguments.output.empty()) {
    print("outputs: {} ({} x {})\n", arguments.output, run.outputs.rows, run.outputs.columns);
  }
  if (!arguments.labels.empty()) print_labelled(run.outputs, labels, arguments.labels);
}

}  // namespace

void add_mlp_run(CLI::App& mlp) {
  CLI::App* command = mlp.add_subcommand("run", "Run a net on a matrix with a sample in each row");
  auto a = std::make_shared<MlpRunArguments>();
  command->add_option("model", a->model, kNetHelp)->required();
  command->add_option("--input", a->input, "samples: .npy or .csv, rows x the net's inputs")
      ->required();
  command->add_option(
      "--output", a->output,
      "results: .npy or .csv, rows x the net's outputs; written whole or not at all");
  command->add_option(
      "--labels", a->labels,
      ".npy or .csv with a number for each row: says in how many the largest output "
      "is that one, from 0, and lists up to 20 others");
  command->add_option("--batch", a->batch, "rows at a time")->capture_default_str();
  add_net_precision_option(*command, a->precision);
  command->add_option("--device", a->device,
                      "number or part of the name; default: first GPU, else first");
  command->add_option("--profile", a->profile,
                      "profile file, or builtin; default: as an application finds it");
  command->callback([a] { run_mlp_run(*a); });
}

}  // namespace tilewright
