#include <fmt/format.h>

#include <memory>

#include "runtime/device/profile_search.hpp"
#include "tuner/bench/competitors/competitors.hpp"
#include "tuner/bench/networks/network_argument.hpp"
#include "tuner/bench/networks/network_facts.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/commands/print_benchmark.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/measure/device/profile_choice.hpp"
#include "tuner/process/device_worker.hpp"

namespace tilewright {
namespace {

struct NetBenchArguments {
  std::string model;
  std::string batches = "100";
  std::vector<std::string> competitors;
  std::string device;
  std::string profile;
  std::string precision = "s";
  std::string seconds;
  std::string build_deadline = "2m";
  std::string launch_deadline = "10s";
  bool verbose = false;
  bool json = false;
  std::string command_line;
};

// Returns one request per batch size. Throws UsageError.
std::vector<BenchRequest> network_requests(const NetBenchArguments& arguments) {
  BenchRequest request;
  request.model = arguments.model;
  request.profile = arguments.profile;
  request.precision = parse_network_precision(arguments.precision);
  check_network_competitors(arguments.competitors);
  request.competitors = arguments.competitors;
  if (!arguments.seconds.empty()) request.seconds = parse_duration("--seconds", arguments.seconds);
  std::vector<BenchRequest> requests;
  for (const std::int64_t batch : parse_extents("--batch", arguments.batches)) {
    request.batch = batch;
    requests.push_back(request);
  }
  return requests;
}

int run_measurements(const NetBenchArguments& arguments, BenchReport& report) {
  const std::vector<BenchRequest> requests = network_requests(arguments);
  const NetworkFacts facts = make_network_facts(read_network_argument(arguments.model));
  WorkerSetup setup;
  setup.on_failures = print_failures;
  setup.device = arguments.device;
  setup.deadlines.build_s = parse_duration("--build-deadline", arguments.build_deadline);
  setup.deadlines.launch_s = parse_duration("--launch-deadline", arguments.launch_deadline);
  DeviceWorker worker(setup);
  const DeviceIdentity& device = worker.facts().identity;
  report =
      begin_report(BenchKind::kNetwork, device,
                   find_profile(choose_profile(arguments.profile), default_search_path(), device),
                   arguments.command_line);
  report.verbose = arguments.verbose;
  report.precision = requests.front().precision;
  report.competitors = arguments.competitors;
  report.model = arguments.model;
  report.widths = widths_text(facts);
  report.parameters = facts.parameters;
  if (facts.output_ports.size() + facts.skipped_outputs.size() > 1) {
    report.output = facts.output_ports.front().name;
  }
  return print_benchmark(worker, arguments.json, report, [&](const ResultDone& done) {
    run_benchmark(worker, requests, report, done);
  });
}

}  // namespace

void add_net_bench(CLI::App& parent, const std::string& command_line, int& exit_code) {
  CLI::App* command = parent.add_subcommand(
      "bench", "Measure a network's forward pass and its steps, in turns with competitors");
  auto a = std::make_shared<NetBenchArguments>();
  a->command_line = command_line;
  command->add_option("MODEL", a->model, kNetworkHelp)->required();
  command->add_option("--batch", a->batches, "Rows per batch: a list of numbers")
      ->type_name("LIST")
      ->capture_default_str();
  command
      ->add_option(
          "--compare", a->competitors,
          "Competitors: cblas (OpenBLAS for the products, plain loops for the rest, always "
          "in single precision), builtin (no profile), other profiles (FILE.toml)")
      ->type_name("LIST")
      ->delimiter(',');
  add_network_precision_option(*command, a->precision);
  add_device_option(*command, a->device);
  add_profile_option(*command, a->profile);
  add_time_option(*command, "--seconds", a->seconds,
                  "Time for each batch, shared by all competitors [default: 2s]");
  add_time_option(*command, "--build-deadline", a->build_deadline,
                  "Stop a compiler that takes longer for all kernels of the network")
      ->capture_default_str();
  add_time_option(*command, "--launch-deadline", a->launch_deadline,
                  "Stop a kernel that takes this much longer than predicted")
      ->capture_default_str();
  add_verbose_flag(*command, a->verbose);
  add_json_flag(*command, a->json);
  command->footer(
      "Examples:\n"
      "  tilewright net bench model.onnx --batch 1,100\n"
      "  tilewright net bench preset:full-cifar --compare builtin,cblas --json");
  command->callback([a, &exit_code] {
    exit_code = measure_with_load_warnings(
        [&](BenchReport& report) { return run_measurements(*a, report); });
  });
}

}  // namespace tilewright
