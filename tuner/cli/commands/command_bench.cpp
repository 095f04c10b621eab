#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "profiles/base/usage_error.hpp"
#include "runtime/device/profile_search.hpp"
#include "tuner/bench/bench_energy.hpp"
#include "tuner/bench/competitors/competitors.hpp"
#include "tuner/bench/kernel_bench.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/commands/print_benchmark.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/measure/device/profile_choice.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/report/plan_results.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {
namespace {

// The values of the options.
struct BenchArguments {
  std::string device;
  std::string profile;
  std::string shapes;
  std::string ops;
  std::string precision = "s";
  std::vector<std::string> competitors;
  std::string points;
  std::string seconds;
  std::string max_dispatch = "200ms";
  std::string launch_deadline = "10s";
  bool all_plans = false;
  int max_plans = 0;
  bool energy = false;
  std::vector<std::string> sensors;
  std::string energy_sample = "1s";
  bool verbose = false;
  bool json = false;
  std::string command_line;

  double seconds_or(double otherwise) const {
    return seconds.empty() ? otherwise : parse_duration("--seconds", seconds);
  }
  double max_dispatch_ns() const { return 1e9 * parse_duration("--max-dispatch", max_dispatch); }
  BenchKind kind() const { return points.empty() ? BenchKind::kProducts : BenchKind::kPoints; }
};

std::vector<GemmShape> chosen_shapes(const BenchArguments& arguments, const DeviceInfo& device) {
  TuneOptions options;
  const ShapeChoice choice =
      parse_shape_choice(arguments.shapes.empty() ? "paper" : arguments.shapes);
  options.shapes = choice.shapes;
  options.design = choice.design;
  options.measure.max_dispatch_ns = arguments.max_dispatch_ns();
  options.precision = parse_number_type(arguments.precision).precision;
  return with_design(std::move(options), device).shapes;
}

// Returns the products of --shapes and --ops; by default those of the profile, if it has any.
std::vector<TunedProduct> products(const BenchArguments& arguments, const Profile& profile,
                                   const DeviceInfo& device) {
  std::vector<Op> ops = parse_ops(arguments.ops.empty() ? "nn,nt,tn" : arguments.ops, true);
  std::sort(ops.begin(), ops.end());  // the order of the columns
  std::vector<TunedProduct> products;
  if (arguments.shapes.empty()) {
    const Precision precision = parse_number_type(arguments.precision).precision;
    products = tuned_products(profile, precision);
    std::erase_if(products, [&](const TunedProduct& product) {
      return std::find(ops.begin(), ops.end(), product.op) == ops.end();
    });
  }
  if (!products.empty()) return products;
  for (const GemmShape& shape : chosen_shapes(arguments, device)) {
    for (const Op op : ops) products.push_back({op, shape});
  }
  return products;
}

// Returns the ops with a column of their own in the text, which has one row for each shape then.
// Empty: each product has more to print than its rate, and a row of its own.
std::vector<Op> op_columns(const BenchArguments& arguments,
                           const std::vector<BenchRequest>& requests) {
  if (!arguments.competitors.empty() || arguments.verbose || arguments.energy ||
      arguments.all_plans) {
    return {};
  }
  std::set<Op> ops;
  for (const BenchRequest& request : requests) ops.insert(request.op);
  return {ops.begin(), ops.end()};
}

// Returns what all products have in common. Throws UsageError.
BenchRequest product_request(const BenchArguments& arguments) {
  BenchRequest request;
  const NumberType type = parse_number_type(arguments.precision);
  request.precision = type.precision;
  request.complex = type.complex;
  request.profile = arguments.profile;
  request.max_dispatch_ns = arguments.max_dispatch_ns();
  check_product_competitors(arguments.competitors);
  if (request.complex && arguments.all_plans) {
    throw UsageError(fmt::format(
        "--all-plans: a complex product has no plans of its own; name the real type: --precision {}",
        to_text(request.precision)));
  }
  if ((request.precision != Precision::kSingle || request.complex) &&
      std::any_of(arguments.competitors.begin(), arguments.competitors.end(), is_program_name)) {
    throw UsageError("--compare: programs compute in single precision only; leave out --precision");
  }
  request.competitors = arguments.competitors;
  request.all_plans = arguments.all_plans;
  if (arguments.max_plans < 0) throw UsageError("--max-plans: must not be negative");
  request.max_plans = static_cast<std::size_t>(arguments.max_plans);
  request.seconds = arguments.seconds_or(request.seconds);
  request.energy = arguments.energy;
  request.energy_sample_s = parse_duration("--energy-sample", arguments.energy_sample);
  request.sensors = arguments.sensors;
  return request;
}

int run_measurements(const BenchArguments& arguments, BenchReport& report) {
  const BenchKind kind = arguments.kind();
  std::vector<ChosenPoint> points;
  BenchRequest request;
  if (!arguments.shapes.empty()) parse_shape_choice(arguments.shapes);
  if (!arguments.ops.empty()) parse_ops(arguments.ops, true);
  if (kind == BenchKind::kPoints) points = choose_points(arguments.points, "--points");
  if (kind == BenchKind::kProducts) request = product_request(arguments);
  WorkerSetup setup;
  setup.on_failures = print_failures;
  setup.device = arguments.device;
  setup.deadlines.launch_s = parse_duration("--launch-deadline", arguments.launch_deadline);
  DeviceWorker worker(setup);
  const DeviceInfo& device = worker.facts();
  FoundProfile found;
  if (kind != BenchKind::kPoints) {
    found = find_profile(choose_profile(arguments.profile), default_search_path(), device.identity);
  }
  report = begin_report(kind, device.identity, found, arguments.command_line);
  report.verbose = arguments.verbose;
  std::vector<BenchRequest> requests;
  if (kind == BenchKind::kProducts) {
    for (const TunedProduct& product : products(arguments, found.profile, device)) {
      request.op = product.op;
      request.shape = product.shape;
      requests.push_back(request);
    }
    report.precision = request.precision;
    report.complex = request.complex;
    report.competitors = arguments.competitors;
    report.op_columns = op_columns(arguments, requests);
  }
  if (arguments.energy) {
    print(stderr, "tilewright: {}\n",
          energy_estimate(requests.size(), 1 + arguments.competitors.size(),
                          request.energy_sample_s, arguments.all_plans));
  }
  return print_benchmark(worker, arguments.json, report, [&](const ResultDone& done) {
    if (kind == BenchKind::kProducts) return run_benchmark(worker, requests, report, done);
    KernelBenchOptions options;
    options.seconds = arguments.seconds_or(10.0);
    options.measure.max_dispatch_ns = arguments.max_dispatch_ns();
    return bench_points(worker, points, chosen_shapes(arguments, device), options, report, done);
  });
}

// Adds the options that measure something else in addition to products or instead of them.
// `of_products` are options that apply to products only.
void add_other_measurements(CLI::App& command, BenchArguments& a,
                            const std::vector<CLI::Option*>& of_products) {
  CLI::Option* points =
      command
          .add_option("--points", a.points,
                      "Kernels by name: 'published' (all named kernels), names from emit "
                      "--list-points, or 'gemm tile_m=4 ...' as in profiles; prints device times")
          ->type_name("LIST");
  for (CLI::Option* other : of_products) points->excludes(other);
  CLI::Option* all_plans =
      command
          .add_flag("--all-plans", a.all_plans,
                    "Each product with every plan of the profile, not only with the chosen one")
          ->excludes(points);
  command
      .add_option(
          "--max-plans", a.max_plans,
          "With --all-plans: only so many, those that are predicted to be the fastest; 0: all")
      ->type_name("N")
      ->capture_default_str()
      ->needs(all_plans);
}

// Adds the options of --energy.
void add_energy_options(CLI::App& command, BenchArguments& a) {
  CLI::Option* energy =
      command
          .add_flag("--energy", a.energy,
                    "Also measure watts, joules and GFLOPS/W, in five samples of each competitor; "
                    "needs a sensor (see tilewright devices)")
          ->excludes(command.get_option("--points"));
  command
      .add_option("--sensors", a.sensors,
                  "The sensors whose energy is added up, by parts of their names [default: those "
                  "that cover the device]")
      ->type_name("LIST")
      ->delimiter(',')
      ->needs(energy);
  add_time_option(command, "--energy-sample", a.energy_sample,
                  "Minimum length of a sample of energy")
      ->capture_default_str()
      ->needs(energy);
}

}  // namespace

void add_bench_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "bench", "Measure products end to end, in turns with competitors, or single kernels");
  auto a = std::make_shared<BenchArguments>();
  a->command_line = command_line;
  command->option_defaults()->group("What to measure");
  command
      ->add_option(
          "--shapes", a->shapes,
          std::string("Products: MxNxK,..., a file of them, auto (as in tune), or one of ") +
              kShapePresets + " [default: those of the profile, or else paper]")
      ->type_name("SHAPES");
  CLI::Option* ops = command
                         ->add_option("--ops", a->ops,
                                      "Transposes of A and B: a list of nn, nt, tn and tt (t: the "
                                      "matrix is transposed) [default: nn,nt,tn]")
                         ->type_name("LIST");
  CLI::Option* precision = add_number_type_option(*command, a->precision);
  CLI::Option* competitors =
      command
          ->add_option("--compare", a->competitors,
                       "Competitors: cblas (OpenBLAS), clblast, builtin (no profile), other "
                       "profiles (FILE.toml), your own programs (exec:PATH)")
          ->type_name("LIST")
          ->delimiter(',');
  command->option_defaults()->group("What to measure instead of the chosen plans");
  add_other_measurements(*command, *a, {ops, precision, competitors});
  command->option_defaults()->group("Energy");
  add_energy_options(*command, *a);
  command->option_defaults()->group("Measuring");
  add_device_option(*command, a->device);
  add_profile_option(*command, a->profile)->excludes(command->get_option("--points"));
  add_time_option(*command, "--seconds", a->seconds,
                  "Time for each product, shared by all competitors [default: 2s; for each point "
                  "10s]");
  add_time_option(*command, "--launch-deadline", a->launch_deadline,
                  "Stop a kernel that takes this much longer than predicted")
      ->capture_default_str();
  add_time_option(*command, "--max-dispatch", a->max_dispatch,
                  "Split products, and skip plans, with launches that are predicted to take longer")
      ->capture_default_str();
  add_verbose_flag(*command, a->verbose);
  add_json_flag(*command, a->json);
  command->footer(
      "Examples:\n"
      "  tilewright bench --compare builtin,clblast\n"
      "  tilewright bench --profile board.toml --shapes 512x512x512,1000x1x784 --ops nn,nt\n"
      "  tilewright bench --energy --shapes 1024x1024x1024 --ops nn --all-plans");
  command->callback([a, &exit_code] {
    exit_code = measure_with_load_warnings(
        [&](BenchReport& report) { return run_measurements(*a, report); });
  });
}

}  // namespace tilewright
