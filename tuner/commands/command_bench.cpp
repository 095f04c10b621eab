#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "profiles/printable.hpp"
#include "tuner/bench/benchmark.hpp"
#include "tuner/bench/pack_bench.hpp"
#include "tuner/bench/point_bench.hpp"
#include "tuner/bench/point_choice.hpp"
#include "tuner/bench/profile_choice.hpp"
#include "tuner/commands/commands.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/device/thread_pinning.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/terminal/options.hpp"
#include "tuner/terminal/usage_error.hpp"
#include "tuner/worker/bench_worker.hpp"

namespace tilewright {
namespace {

std::string figure(const Summary& gflops) {
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
      text += fmt::format("{:>24}{:>8.2f}", figure(found->second),
                          result.gflops.median / found->second.median);
    }
  }
  text += fmt::format("  {}\n", printable(result.kernel));
  for (const BenchPlan& plan : result.plans) {
    text +=
        fmt::format("{:<21}{:>24}  {}\n", "  plan", figure(plan.gflops), printable(plan.kernels));
  }
  return text;
}

BenchOptions options_from(const BenchArguments& arguments) {
  BenchOptions options;
  options.shapes = parse_shapes(arguments.shapes);
  options.ops = parse_ops(arguments.ops, true);
  options.profile = choose_profile(arguments.profile);
  const std::vector<std::string> known = known_rivals();
  for (const std::string& rival : arguments.rivals) {
    if (std::find(known.begin(), known.end(), rival) == known.end() && !is_profile_name(rival) &&
        !is_program_name(rival)) {
      throw UsageError(
          fmt::format("--rivals: '{}' is none of {}, no profile (....toml) and no exec:PROGRAM",
                      rival, fmt::join(known, ", ")));
    }
  }
  options.rivals = arguments.rivals;
  options.all_plans = arguments.all_plans;
  options.command = arguments.command_line;
  if (!arguments.seconds.empty()) {
    options.seconds_per_product = parse_duration("--seconds", arguments.seconds);
  }
  return options;
}

// What is printed at the end, and of what is measured so far if the worker is lost.
void print_report(const BenchTalk& talk, const std::string& text, bool finished) {
  talk.print({finished ? PrintLine::To::kOut : PrintLine::To::kDraft, text});
}

std::string text_of(const PointBenchReport& report, bool json) {
  if (json) return to_json(report) + "\n";
  return fmt::format(
      "points on {} ({}): GFLOPS, median (10th-90th percentile) of the kernel's {} on operands in "
      "its own layouts; kernels take turns\n\n{}",
      report.conditions.device, report.conditions.platform, report.timer, to_table(report));
}

void run_bench_points(const BenchArguments& arguments, const BenchTalk& talk) {
  PointBenchOptions options;
  options.points = choose_points(arguments.points, "--points");
  if (!arguments.seconds.empty()) {
    options.seconds_per_shape = parse_duration("--seconds", arguments.seconds);
  }
  options.shapes = parse_shapes(arguments.shapes);
  options.command = arguments.command_line;
  const std::vector<ListedDevice> devices = list_devices();
  const ListedDevice& device = choose_device(devices, arguments.device);
  const PointBenchReport whole =
      run_point_benchmark(device, options, talk.announce, [&](const PointBenchReport& report) {
        talk.print({PrintLine::To::kError,
                    fmt::format("{} is measured\n", to_text(report.rows.back().shape))});
        print_report(talk, text_of(report, arguments.json), false);
      });
  print_report(talk, text_of(whole, arguments.json), true);
}

std::string text_of(const PackBenchReport& report, bool json) {
  if (json) return to_json(report) + "\n";
  return fmt::format(
      "pack kernels on {} ({}): GB/s read and written, median (10th-90th percentile) of {}; all "
      "take turns; % rates: of the copy that the profile records\n\n{}profile: {}\n",
      report.conditions.device, report.conditions.platform, report.timer, to_table(report),
      printable(report.profile));
}

void run_bench_packs(const BenchArguments& arguments, const BenchTalk& talk) {
  PackBenchOptions options;
  options.profile = choose_profile(arguments.profile);
  options.command = arguments.command_line;
  const std::vector<ListedDevice> devices = list_devices();
  const PackBenchReport whole =
      run_pack_benchmark(choose_device(devices, arguments.device), options, talk.announce,
                         [&](const PackBenchReport& report) {
                           print_report(talk, text_of(report, arguments.json), false);
                         });
  print_report(talk, text_of(whole, arguments.json), true);
}

std::string launch_floor(const std::vector<BenchResult>& results) {
  std::vector<double> floors_us;
  for (const BenchResult& result : results) {
    floors_us.push_back(1e-3 * result.launch_floor_ns.median);
  }
  if (floors_us.empty()) return "";
  return fmt::format(
      "% launch: of a call, an empty kernel's launch and the wait for it, {:.3g} to {:.3g} us "
      "(medians); near 100, no kernel can help\n",
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

void run_bench_products(const BenchArguments& arguments, const BenchTalk& talk) {
  const BenchOptions options = options_from(arguments);
  const std::vector<ListedDevice> devices = list_devices();
  const ListedDevice& device = choose_device(devices, arguments.device);
  const std::string warning =
      device_type(device.device) == "cpu" ? thread_warning(device.identity.platform) : "";
  if (!warning.empty()) talk.print({PrintLine::To::kError, warning + "\n"});
  if (arguments.json) {
    const BenchReport whole = run_benchmark(
        device, options, talk.announce,
        [&](const BenchReport& report) { print_report(talk, to_json(report) + "\n", false); });
    return print_report(talk, to_json(whole) + "\n", true);
  }
  talk.print({PrintLine::To::kOut,
              fmt::format("SGEMM end to end on {} ({}): GFLOPS, median (10th-90th percentile) of "
                          "the wall time of a call to its "
                          "finished C; contenders take turns; ratio: tilewright to rival\n{}",
                          device.identity.name, device.identity.platform, header(options.rivals))});
  const BenchReport whole =
      run_benchmark(device, options, talk.announce, [&](const BenchReport& report) {
        talk.print({PrintLine::To::kOut, row(report.results.back(), options.rivals)});
      });
  talk.print({PrintLine::To::kOut, footer(whole)});
}

}  // namespace

void run_bench(const BenchArguments& arguments, const BenchTalk& talk) {
  if (!arguments.points.empty()) {
    run_bench_points(arguments, talk);
  } else if (arguments.packs) {
    run_bench_packs(arguments, talk);
  } else {
    run_bench_products(arguments, talk);
  }
}

void add_bench_command(CLI::App& app, const std::string& command_line) {
  CLI::App* command = app.add_subcommand("bench", "Measure SGEMM end to end, beside rivals");
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
  CLI::Option* rivals =
      command
          ->add_option("--rivals", a->rivals,
                       "of cblas, clblast, builtin, other profiles (....toml), and programs of "
                       "yours (exec:PATH)")
          ->delimiter(',');
  command
      ->add_option("--points", a->points,
                   "device time of points instead: seeds, or NAME,... (emit --list-points), or as "
                   "profiles write them: 'gemm tile_m=4 ...',...")
      ->excludes(profile)
      ->excludes(ops)
      ->excludes(rivals);
  command
      ->add_flag("--packs", a->packs,
                 "GB/s of the profile's pack kernels instead, beside a plain copy")
      ->excludes("--points")
      ->excludes(ops)
      ->excludes(rivals);
  command
      ->add_flag("--all-plans", a->all_plans,
                 "also measure every plan of the profile for each product")
      ->excludes("--points");
  add_time_option(
      *command, "--seconds", a->seconds,
      "measuring time for each product, all contenders together; default: 2s, of points "
      "10s")
      ->excludes("--packs");
  command
      ->add_option("--launch-deadline", a->launch_deadline,
                   "of one launch, beyond its prediction: what takes longer hangs")
      ->capture_default_str();
  command->add_flag("--json", a->json, "print JSON");
  command->callback([a] { bench_in_worker(*a); });
}

}  // namespace tilewright
