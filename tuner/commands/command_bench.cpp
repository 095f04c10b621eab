#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "profiles/printable.hpp"
#include "tuner/bench/benchmark.hpp"
#include "tuner/bench/pack_bench.hpp"
#include "tuner/bench/point_bench.hpp"
#include "tuner/bench/point_choice.hpp"
#include "tuner/bench/profile_choice.hpp"
#include "tuner/commands/commands.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/shares.hpp"
#include "tuner/terminal/options.hpp"
#include "tuner/terminal/say.hpp"
#include "tuner/terminal/usage_error.hpp"
#include "tuner/worker/device_worker.hpp"

namespace tilewright {
namespace {

// What the command line says.
struct BenchArguments {
  std::string device;
  std::string profile;
  std::string shapes = "paper";
  std::string ops = "nn,nt,tn";
  std::string precision = "s";
  std::vector<std::string> rivals;
  std::string points;
  std::string seconds;
  std::string max_dispatch = "200ms";
  std::string launch_deadline = "10s";
  bool packs = false;
  bool all_plans = false;
  bool json = false;
  std::string command_line;
};

double max_dispatch_ns(const BenchArguments& arguments) {
  return 1e9 * parse_duration("--max-dispatch", arguments.max_dispatch);
}

// No samples: it crashed.
std::string figure(const Summary& gflops) {
  if (gflops.samples == 0) return "-";
  return fmt::format("{:.1f} ({:.1f}-{:.1f})", gflops.median, gflops.low, gflops.high);
}

std::string header(const std::vector<std::string>& rivals) {
  std::string text =
      fmt::format("{:<4}{:<17}{:>24}{:>9}", "op", "m x n x k", "tilewright", "% launch");
  for (const std::string& rival : rivals) {
    text += fmt::format("{:>24}{:>8}", std::filesystem::path(rival).stem().string(), "ratio");
  }
  return text + "  kernel\n";
}

std::string row(const BenchResult& result, const std::vector<std::string>& rivals) {
  std::string text =
      fmt::format("{:<4}{:<17}{:>24}{:>9.0f}", to_text(result.op), to_text(result.shape),
                  figure(result.gflops), 100.0 * result.launch_share());
  for (const std::string& rival : rivals) {
    const auto found = result.rivals.find(rival);
    if (found == result.rivals.end()) {
      text += fmt::format("{:>24}{:>8}", "-", "-");
    } else {
      const std::optional<double> ratio = result.ratio(rival);
      text += fmt::format("{:>24}{:>8}", figure(found->second),
                          ratio ? fmt::format("{:.2f}", *ratio) : "-");
    }
  }
  text += fmt::format("  {}\n", printable(result.kernel));
  for (const BenchPlan& plan : result.plans) {
    text +=
        fmt::format("{:<21}{:>24}  {}\n", "  plan", figure(plan.gflops), printable(plan.kernels));
  }
  for (const std::string& plan : result.left_out) {
    text += fmt::format("  left out, predicted beyond --max-dispatch: {}\n", printable(plan));
  }
  return text;
}

BenchOptions options_from(const BenchArguments& arguments) {
  BenchOptions options;
  options.shapes = parse_shapes(arguments.shapes);
  options.ops = parse_ops(arguments.ops, true);
  const NumberType type = number_type_of(arguments.precision);
  options.precision = type.precision;
  options.complex = type.complex;
  options.profile = arguments.profile;
  options.max_dispatch_ns = max_dispatch_ns(arguments);
  const std::vector<std::string> known = known_rivals();
  for (const std::string& rival : arguments.rivals) {
    if (std::find(known.begin(), known.end(), rival) == known.end() && !is_profile_name(rival) &&
        !is_program_name(rival)) {
      throw UsageError(
          fmt::format("--rivals: '{}' is none of {}, no profile (....toml) and no exec:PROGRAM",
                      rival, fmt::join(known, ", ")));
    }
  }
  if (options.complex && arguments.all_plans) {
    throw UsageError(fmt::format("--all-plans: of the real product that serves: --precision {}",
                                 to_text(options.precision)));
  }
  if ((options.precision != Precision::kSingle || options.complex) &&
      std::any_of(arguments.rivals.begin(), arguments.rivals.end(), is_program_name)) {
    throw UsageError("--rivals: programs are given floats; --precision goes without them");
  }
  options.rivals = arguments.rivals;
  options.all_plans = arguments.all_plans;
  options.command = arguments.command_line;
  if (!arguments.seconds.empty()) {
    options.seconds_per_product = parse_duration("--seconds", arguments.seconds);
  }
  return options;
}

std::string text_of(const PointBenchReport& report, bool json) {
  if (json) return to_json(report) + "\n";
  return fmt::format(
      "points on {} ({}): GFLOPS, median (10th-90th percentile) of the kernel's {} on operands in "
      "its own layouts; kernels take turns\n\n{}",
      report.conditions.device, report.conditions.platform, report.timer, to_table(report));
}

std::string text_of(const PackBenchReport& report, bool json) {
  if (json) return to_json(report) + "\n";
  return fmt::format(
      "pack kernels on {} ({}): GB/s read and written, median (10th-90th percentile) of {}; all "
      "take turns; % rates: of the copy that the profile records\n\n{}profile: {}\n",
      report.conditions.device, report.conditions.platform, report.timer, to_table(report),
      printable(report.profile));
}

std::string text_of(const BenchReport& report, bool) {
  return to_json(report) + "\n";
}

// Prints the report: what is known of it if the device is lost.
template <class Report, class Run>
Report print_report(bool json, const Run& run) {
  std::optional<Report> known;
  try {
    Report whole = run([&](const Report& report) { known = report; });
    say_lines(text_of(whole, json));
    return whole;
  } catch (...) {
    if (known) say_lines(text_of(*known, json));
    std::fflush(standard_output());  // before the sentence that says why no more follows
    throw;
  }
}

int exit_code_of(std::size_t crashes, const char* what) {
  if (crashes == 0) return 0;
  say(stderr,
      "tilewright: {} {}: `tilewright verify` tells which kernels of a profile do not work\n",
      crashes, what);
  return 1;
}

int run_bench_points(DeviceWorker& worker, const BenchArguments& arguments) {
  PointBenchOptions options;
  options.points = choose_points(arguments.points, "--points");
  if (!arguments.seconds.empty()) {
    options.seconds_per_shape = parse_duration("--seconds", arguments.seconds);
  }
  options.shapes = parse_shapes(arguments.shapes);
  options.measure.max_dispatch_ns = max_dispatch_ns(arguments);
  options.command = arguments.command_line;
  const auto whole = print_report<PointBenchReport>(arguments.json, [&](const auto& keep) {
    return run_point_benchmark(worker, options, [&](const PointBenchReport& report) {
      say(stderr, "{} is measured\n", to_text(report.rows.back().shape));
      keep(report);
    });
  });
  return exit_code_of(whole.crashes, "points crashed, as the list says");
}

int run_bench_packs(DeviceWorker& worker, const BenchArguments& arguments) {
  PackBenchOptions options;
  options.profile = choose_profile(arguments.profile);
  if (!arguments.seconds.empty()) {
    options.seconds_per_size = parse_duration("--seconds", arguments.seconds);
  }
  options.measure.max_dispatch_ns = max_dispatch_ns(arguments);
  options.command = arguments.command_line;
  const auto whole = print_report<PackBenchReport>(
      arguments.json, [&](const auto& keep) { return run_pack_benchmark(worker, options, keep); });
  return exit_code_of(whole.crashes, "pack kernels crashed, as the list says");
}

std::string launch_floor(const std::vector<BenchResult>& results) {
  std::vector<double> floors_us;
  for (const BenchResult& result : results) {
    floors_us.push_back(1e-3 * result.launch_floor_ns.median);
  }
  if (floors_us.empty()) return "";
  return fmt::format(
      "% launch: time of an empty kernel's launch and the wait for it, {:.3g} to {:.3g} us "
      "(medians), as a share of a call, 100 at most; near 100, a faster kernel does not help\n",
      quantile(floors_us, 0.0), quantile(floors_us, 1.0));
}

std::string footer(const BenchReport& report) {
  std::string text =
      launch_floor(report.results) + fmt::format("profile: {}\n", printable(report.profile));
  for (const auto& [rival, details] : report.rival_details) {
    text += fmt::format("{}: {}\n", printable(rival), printable(details));
  }
  for (const std::string& rival : report.missing_rivals) {
    text += fmt::format("rival {} is missing: {}\n", rival, why_missing(rival));
  }
  return text;
}

int run_bench_products(DeviceWorker& worker, const BenchArguments& arguments) {
  const BenchOptions options = options_from(arguments);
  const DeviceFacts& facts = worker.facts();
  if (facts.type == "cpu" && !facts.clock_warning.empty()) {
    say(stderr, "{}\n", facts.clock_warning);
  }
  BenchReport whole;
  if (arguments.json) {
    whole = print_report<BenchReport>(
        true, [&](const auto& keep) { return run_benchmark(worker, options, keep); });
  } else {
    say_lines(fmt::format(
        "{}GEMM end to end on {} ({}): GFLOPS, median (10th-90th percentile) of the wall time of a "
        "call to its finished C; competitors take turns; {}\n{}",
        static_cast<char>(std::toupper(blas_letter(options.precision, options.complex).front())),
        facts.identity.name, facts.identity.platform, kRatioMeaning, header(options.rivals)));
    whole = run_benchmark(worker, options, [&](const BenchReport& report) {
      say_lines(row(report.results.back(), options.rivals));
      std::fflush(standard_output());
    });
    say_lines(footer(whole));
  }
  std::fflush(standard_output());
  for (const std::string& crash : whole.crashes) {
    say(stderr, "tilewright: {}\n", printable(crash));
  }
  return exit_code_of(whole.crashes.size(), "kernels, plans or rivals are left out");
}

int run_bench(const BenchArguments& arguments) {
  WorkerSetup setup;
  setup.device = arguments.device;
  setup.deadlines.launch_s = parse_duration("--launch-deadline", arguments.launch_deadline);
  if (!arguments.points.empty()) choose_points(arguments.points, "--points");
  parse_shapes(arguments.shapes);
  if (arguments.points.empty() && !arguments.packs) options_from(arguments);
  DeviceWorker worker(setup);
  const int code = !arguments.points.empty() ? run_bench_points(worker, arguments)
                   : arguments.packs         ? run_bench_packs(worker, arguments)
                                             : run_bench_products(worker, arguments);
  say_lines(stderr, worker.process().last_words());  // of drivers and rivals
  return code;
}

// What is measured instead of products, or with them; `of_products` are options of these alone.
void add_other_measurements(CLI::App& command, BenchArguments& a,
                            const std::vector<CLI::Option*>& of_products) {
  CLI::Option* points = command.add_option(
      "--points", a.points,
      "device time of points instead: all, or NAME,... (emit --list-points lists the names), or as "
      "profiles write them: 'gemm tile_m=4 ...',...");
  CLI::Option* packs = command.add_flag(
      "--packs", a.packs, "GB/s of the profile's pack kernels instead, beside a plain copy");
  packs->excludes(points);
  for (CLI::Option* each : {points, packs}) {
    for (CLI::Option* other : of_products) each->excludes(other);
  }
  command
      .add_flag("--all-plans", a.all_plans,
                "also measure every plan of the profile for each product")
      ->excludes(points);
}

}  // namespace

void add_bench_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("bench", "Measure what is served, end to end, beside rivals");
  auto a = std::make_shared<BenchArguments>();
  a->command_line = command_line;
  command->add_option("--device", a->device,
                      "number or part of the name; default: first GPU, else first");
  CLI::Option* profile = command->add_option(
      "--profile", a->profile, "profile file, or builtin; default: as an application finds it");
  command
      ->add_option("--shapes", a->shapes,
                   std::string("MxNxK,..., a file of them, or one of ") + kShapePresets)
      ->capture_default_str();
  CLI::Option* ops = command->add_option("--ops", a->ops, "operand combinations: nn,nt,tn,tt")
                         ->capture_default_str();
  CLI::Option* precision = add_number_type_option(*command, a->precision);
  CLI::Option* rivals =
      command
          ->add_option("--rivals", a->rivals,
                       "of cblas, clblast, builtin, other profiles (....toml), and programs of "
                       "yours (exec:PATH)")
          ->delimiter(',');
  add_other_measurements(*command, *a, {ops, precision, rivals});
  command->get_option("--points")->excludes(profile);
  add_time_option(
      *command, "--seconds", a->seconds,
      "measuring time for each product, all competitors together; default: 2s, of points 10s, "
      "of packs 5s a size");
  command
      ->add_option("--launch-deadline", a->launch_deadline,
                   "of one launch, beyond its prediction: what takes longer hangs")
      ->capture_default_str();
  add_time_option(*command, "--max-dispatch", a->max_dispatch,
                  "no launch is predicted to take longer; of plans, they are left out")
      ->capture_default_str();
  command->add_flag("--json", a->json, "print JSON");
  command->callback([a, &exit_code] { exit_code = run_bench(*a); });
}

}  // namespace tilewright
