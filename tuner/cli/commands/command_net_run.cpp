#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include "runtime/models/matrix/matrix_file.hpp"
#include "runtime/models/network_files.hpp"

#include "profiles/base/printable.hpp"
#include "profiles/base/usage_error.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "tuner/bench/networks/network_argument.hpp"
#include "tuner/bench/networks/network_facts.hpp"
#include "tuner/bench/networks/network_run.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/commands/net_run_inputs.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/journal/records/shares.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/device/profile_choice.hpp"
#include "tuner/tuning/tuning_files.hpp"

namespace tilewright {
namespace {

struct NetRunArguments {
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

std::int64_t parse_batch(const NetRunArguments& arguments) {
  const std::vector<std::int64_t> batches = parse_extents("--batch", arguments.batch);
  if (batches.size() != 1) throw UsageError("--batch: expected one number of rows, not a list");
  return batches[0];
}

// Whether all outputs of the network are computed, for a .npz file.
bool are_all_outputs(const NetworkModel& file, const NetRunArguments& arguments) {
  return arguments.output_name.empty() && is_npz(arguments.output) &&
         numbered_outputs(file).size() > 1;
}

FloatMatrix read_labels(const std::string& file, std::int64_t rows, const NetworkFacts& facts) {
  if (facts.outputs < 2)
    throw UsageError("--labels: the network has only one output, so it does not choose a class");
  const FloatMatrix labels = read_matrix(file);
  note_column_names(labels, file);
  return make_labels(labels, file, rows, facts.outputs);
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

// Writes the results to one matrix file, or all of them to a .npz file.
void write_outputs(std::vector<NamedMatrix<float>> outputs, const std::string& path) {
  if (!is_npz(path)) return write_matrix(outputs.front().matrix, path);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].name.empty()) outputs[i].name = fmt::format("output_{}", i + 1);
  }
  write_npz(outputs, path);
}

void print_outputs(const std::vector<NamedMatrix<float>>& outputs, const std::string& path) {
  print("results: {}", path);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const FloatMatrix& matrix = outputs[i].matrix;
    if (outputs.size() > 1) print("{} {}", i == 0 ? ":" : ",", in_quotes(outputs[i].name));
    print(" ({} x {})", matrix.rows, matrix.columns);
  }
  print("\n");
}

// Which of several outputs it was, and what the others are.
void print_other_outputs(const NetworkModel& file, const NetworkFacts& facts) {
  const std::vector<NetworkOutput> outputs = numbered_outputs(file);
  const std::string& name = facts.output_ports.front().name;
  std::string others;
  for (const NetworkOutput& output : outputs) {
    if (output.name != name) others += (others.empty() ? "" : ", ") + in_quotes(output.name);
  }
  if (!others.empty() && facts.output_ports.size() == 1) {
    print("this is output {}; --output-name selects another: {}\n", in_quotes(name), others);
  }
  for (const PortFacts& port : facts.output_ports) {
    if (!port.is_transposed) continue;
    print("output {} is transposed: one row per sample\n", in_quotes(port.name));
  }
  for (const NetworkSkippedOutput& skipped : file.skipped_outputs) {
    print("skipped output {}: {}\n", in_quotes(skipped.name), skipped.reason);
  }
}

void run_net_run(const NetRunArguments& arguments) {
  const std::int64_t batch = parse_batch(arguments);
  const Precision precision = parse_network_precision(arguments.precision);
  if (arguments.output.empty() && arguments.labels.empty()) {
    throw UsageError(
        "--output or --labels is required: --output FILE writes the results, and --labels FILE "
        "compares them with the expected classes");
  }
  if (!arguments.output.empty()) check_matrix_extension(arguments.output);
  std::vector<std::string> inputs = arguments.inputs;
  for (const std::string& file : {arguments.labels, arguments.profile}) {
    if (!file.empty()) inputs.push_back(file);
  }
  std::vector<std::string> used;
  if (!arguments.output_name.empty()) used.push_back(arguments.output_name);
  const NetworkModel file =
      read_network_argument(arguments.model, &inputs, NetworkReading::kForSpeed, used);
  const NetworkModel model =
      are_all_outputs(file, arguments) ? file : with_output(file, arguments.output_name);
  if (!arguments.output.empty()) refuse_input("--output", arguments.output, inputs);
  const NetworkFacts facts = make_network_facts(model);
  const NetworkInputs net =
      read_network_inputs(arguments.inputs, arguments.input_names, model, precision);
  const std::int64_t rows = net.matrices.front().rows;
  FloatMatrix labels;
  if (!arguments.labels.empty()) labels = read_labels(arguments.labels, rows, facts);
  const DeviceList devices = list_devices();
  const ListedDevice& device = choose_device(devices, arguments.device);
  const NetworkRun run = run_network(device, choose_profile(arguments.profile), net.model,
                                     net.matrices, batch, precision);
  if (!arguments.output.empty()) write_outputs(run.outputs, arguments.output);
  print("ran {} rows in {} batches of up to {}{} on {} ({})\nprofile: {}\n", rows, run.batches,
        batch, of_elements(precision), device.identity.name,
        short_platform(device.identity.platform), run.profile);
  if (net.is_started_on_host) {
    print(
        "the first operations ran on the host in double precision: inputs have more digits than "
        "{}\n",
        elements_text(precision));
  }
  if (!arguments.output.empty()) print_outputs(run.outputs, arguments.output);
  print_other_outputs(file, facts);
  if (!arguments.labels.empty()) {
    print_labelled(run.outputs.front().matrix, labels, arguments.labels);
  }
}

}  // namespace

void add_net_run(CLI::App& parent) {
  CLI::App* command =
      parent.add_subcommand("run", "Run a network on a matrix with one sample per row");
  auto a = std::make_shared<NetRunArguments>();
  command->add_option("MODEL", a->model, kNetworkHelp)->required();
  command
      ->add_option(
          "--input", a->inputs,
          "Samples: .npy, .npz or .csv, a column for each input. A network with several "
          "inputs needs one file for each, one file with the columns of all (the header of a "
          ".csv file names the input of each column), or one .npz file whose arrays have "
          "the names of the inputs")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--input-name", a->input_names,
                   "Names of the inputs that the files are for, in the order of --input")
      ->type_name("NAME");
  command
      ->add_option("--output", a->output,
                   "Write the results to this .npy, .npz or .csv file, a column for each output")
      ->type_name("FILE");
  command
      ->add_option(
          "--output-name", a->output_name,
          "Output of the network to compute, or another value of an ONNX graph [default: the first "
          "output; all if --output is .npz]")
      ->type_name("NAME");
  command
      ->add_option(
          "--labels", a->labels,
          "Expected class of each row, from 0, or a row that is 1 in its column (.npy, .npz or "
          ".csv): print the accuracy and up to 20 mismatches")
      ->type_name("FILE");
  command->add_option("--batch", a->batch, "Rows per batch")->type_name("N")->capture_default_str();
  add_network_precision_option(*command, a->precision);
  add_device_option(*command, a->device);
  add_profile_option(*command, a->profile);
  command->footer(
      "Examples:\n"
      "  tilewright net run model.onnx --input samples.npy --output results.npy\n"
      "  tilewright net run model.json --input test.csv --labels classes.csv --precision h");
  command->callback([a] { run_net_run(*a); });
}

}  // namespace tilewright
