#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <tilewright/matrix_file.hpp>
#include <tilewright/mlp_files.hpp>

#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "tuner/bench/networks/net_choice.hpp"
#include "tuner/bench/networks/net_facts.hpp"
#include "tuner/bench/networks/net_run.hpp"
#include "tuner/cli/commands/commands_mlp.hpp"
#include "tuner/cli/device_list.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/device/profile_choice.hpp"
#include "tuner/tuning/same_file.hpp"

namespace tilewright {
namespace {

struct MlpRunArguments {
  std::string model;
  std::vector<std::string> inputs;
  std::vector<std::string> input_names;
  std::string output;
  std::string output_name;
  std::string labels;
  std::string batch = "100";
  std::string device;
  std::string profile;
  std::string precision = "s";
};

constexpr std::size_t kMaxListedRows = 20;

std::int64_t parse_batch(const MlpRunArguments& arguments) {
  const std::vector<std::int64_t> batches = parse_extents("--batch", arguments.batch);
  if (batches.size() != 1) throw UsageError("--batch: expected one number of rows, not a list");
  return batches[0];
}

// Returns the output of --output-name, or the first one.
MlpModel with_output(const MlpModel& model, const std::string& name) {
  const std::vector<MlpOutput> outputs = numbered_outputs(model);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (name.empty() || outputs[i].name == name) return select_mlp_outputs(model, {i});
    names.push_back(in_quotes(outputs[i].name));
  }
  throw UsageError(fmt::format("--output-name: the network has no output {}; it has {}",
                               in_quotes(name), fmt::join(names, ", ")));
}

// Splits a matrix that contains the columns of several inputs.
std::vector<FloatMatrix> divided(const FloatMatrix& all, const std::vector<PortFacts>& ports) {
  std::vector<FloatMatrix> parts;
  std::int64_t first = 0;
  for (const PortFacts& port : ports) {
    FloatMatrix part{all.rows, port.columns, {}};
    for (std::int64_t row = 0; row < all.rows; ++row) {
      const auto begin = all.values.begin() + row * all.columns + first;
      part.values.insert(part.values.end(), begin, begin + port.columns);
    }
    first += port.columns;
    parts.push_back(std::move(part));
  }
  return parts;
}

// Returns for each file the number of its input.
std::vector<std::size_t> input_numbers(const MlpRunArguments& arguments,
                                       const std::vector<PortFacts>& ports) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) numbers.push_back(i);
  if (arguments.input_names.empty()) return numbers;
  if (arguments.input_names.size() != arguments.inputs.size()) {
    throw UsageError("--input-name: one name for each --input is needed");
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto found = std::find_if(ports.begin(), ports.end(), [&](const PortFacts& port) {
      return port.name == arguments.input_names[i];
    });
    if (found == ports.end()) {
      throw UsageError(fmt::format("--input-name: the network has no input {}",
                                   in_quotes(arguments.input_names[i])));
    }
    numbers[i] = static_cast<std::size_t>(found - ports.begin());
  }
  return numbers;
}

// Checks the files before the device is opened.
std::vector<FloatMatrix> read_inputs(const MlpRunArguments& arguments, const NetFacts& facts) {
  const std::vector<PortFacts>& ports = facts.input_ports;
  const std::vector<std::size_t> numbers = input_numbers(arguments, ports);
  std::int64_t all_columns = 0;
  for (const PortFacts& port : ports) all_columns += port.columns;
  std::vector<FloatMatrix> inputs(ports.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string& file = arguments.inputs[i];
    FloatMatrix input = read_matrix(file);
    const bool is_joined = numbers.size() == 1 && ports.size() > 1 && input.columns == all_columns;
    if (is_joined) return divided(input, ports);
    if (numbers[i] >= ports.size()) {
      throw UsageError(fmt::format("--input: the network has {} inputs", ports.size()));
    }
    const std::int64_t columns = ports[numbers[i]].columns;
    // An array of one dimension is a row; for an input of one column it can only be a column of
    // samples.
    if (columns == 1 && input.is_one_dimensional) std::swap(input.rows, input.columns);
    if (input.columns != columns) {
      throw MatrixFileError(file, fmt::format("has {} columns, but the network has {} inputs",
                                              input.columns, columns));
    }
    if (i > 0 && input.rows != inputs[numbers.front()].rows) {
      throw MatrixFileError(
          file, fmt::format("has {} rows, but {} has {}", input.rows, arguments.inputs.front(),
                            inputs[numbers.front()].rows));
    }
    inputs[numbers[i]] = std::move(input);
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (inputs[i].columns > 0) continue;
    throw UsageError(fmt::format(
        "--input: the network needs a file for each of its {} inputs, or one with all of "
        "their {} columns; {} has none",
        ports.size(), all_columns, in_quotes(ports[i].name)));
  }
  return inputs;
}

FloatMatrix read_labels(const std::string& file, std::int64_t rows, const NetFacts& facts) {
  if (facts.outputs < 2)
    throw UsageError("--labels: the network has only one output, so it does not choose a class");
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
  for (const OtherClass& other : std::span(others).first(std::min(others.size(), kMaxListedRows))) {
    if (std::isnan(other.margin)) {
      print("  row {}: an output is NaN; expected class {}\n", other.row + 1, other.label);
    } else {
      print("  row {}: class {} leads by {:.3g}; expected class {}\n", other.row + 1, other.largest,
            other.margin, other.label);
    }
  }
  if (others.size() > kMaxListedRows) print("  and {} more\n", others.size() - kMaxListedRows);
}

// Prints which of several outputs was computed, and lists the others.
void print_other_outputs(const MlpModel& file, const NetFacts& facts) {
  const std::vector<MlpOutput> outputs = numbered_outputs(file);
  const std::string& name = facts.output_ports.front().name;
  std::string others;
  for (const MlpOutput& output : outputs) {
    if (output.name != name) others += (others.empty() ? "" : ", ") + in_quotes(output.name);
  }
  if (!others.empty()) {
    print("this is output {}; --output-name selects another: {}\n", in_quotes(name), others);
  }
  for (const MlpSkippedOutput& skipped : file.skipped_outputs) {
    print("skipped output {}: {}\n", in_quotes(skipped.name), skipped.reason);
  }
}

void run_mlp_run(const MlpRunArguments& arguments) {
  const std::int64_t batch = parse_batch(arguments);
  const Precision precision = parse_net_precision(arguments.precision);
  if (arguments.output.empty() && arguments.labels.empty()) {
    throw UsageError("--output or --labels is required: write the results, or compare them");
  }
  if (!arguments.output.empty()) check_matrix_extension(arguments.output);
  std::vector<std::string> inputs = arguments.inputs;
  for (const std::string& file : {arguments.labels, arguments.profile}) {
    if (!file.empty()) inputs.push_back(file);
  }
  const MlpModel file = choose_net(arguments.model, &inputs);
  const MlpModel model = with_output(file, arguments.output_name);
  if (!arguments.output.empty()) refuse_input("--output", arguments.output, inputs);
  const NetFacts facts = make_net_facts(model);
  const std::vector<FloatMatrix> matrices = read_inputs(arguments, facts);
  const std::int64_t rows = matrices.front().rows;
  FloatMatrix labels;
  if (!arguments.labels.empty()) labels = read_labels(arguments.labels, rows, facts);
  const DeviceList devices = list_devices();
  const ListedDevice& device = choose_device(devices, arguments.device);
  const NetRun run =
      run_net(device, choose_profile(arguments.profile), model, matrices, batch, precision);
  if (!arguments.output.empty()) write_matrix(run.outputs, arguments.output);
  print("ran {} rows in {} batches of up to {}{} on {} ({})\nprofile: {}\n", rows, run.batches,
        batch, of_elements(precision), device.identity.name, device.identity.platform, run.profile);
  if (!arguments.output.empty()) {
    print("results: {} ({} x {})\n", arguments.output, run.outputs.rows, run.outputs.columns);
  }
  print_other_outputs(file, facts);
  if (!arguments.labels.empty()) print_labelled(run.outputs, labels, arguments.labels);
}

}  // namespace

void add_mlp_run(CLI::App& mlp) {
  CLI::App* command =
      mlp.add_subcommand("run", "Run a network on a matrix with one sample per row");
  auto a = std::make_shared<MlpRunArguments>();
  command->add_option("MODEL", a->model, kNetHelp)->required();
  command
      ->add_option("--input", a->inputs,
                   "Samples: .npy or .csv, a column for each input. A network with several inputs "
                   "needs one file for each, or one file with the columns of all")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--input-name", a->input_names,
                   "Names of the inputs that the files are for, in the order of --input")
      ->type_name("NAME");
  command
      ->add_option("--output", a->output,
                   "Write the results to this .npy or .csv file, a column for each output")
      ->type_name("FILE");
  command
      ->add_option("--output-name", a->output_name,
                   "Output of the network to compute [default: the first one]")
      ->type_name("NAME");
  command
      ->add_option(
          "--labels", a->labels,
          "Expected class of each row, from 0 (.npy or .csv): print the accuracy and up to "
          "20 mismatches")
      ->type_name("FILE");
  command->add_option("--batch", a->batch, "Rows per batch")->type_name("N")->capture_default_str();
  add_net_precision_option(*command, a->precision);
  add_device_option(*command, a->device);
  add_profile_option(*command, a->profile);
  command->footer(
      "Examples:\n"
      "  tilewright mlp run model.onnx --input samples.npy --output results.npy\n"
      "  tilewright mlp run model.json --input test.csv --labels classes.csv --precision h");
  command->callback([a] { run_mlp_run(*a); });
}

}  // namespace tilewright
