#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "runtime/call/gemm_problem.hpp"
#include "tuner/bench/profile_choice.hpp"
#include "tuner/bench/rivals.hpp"
#include "tuner/commands/commands_mlp.hpp"
#include "tuner/device/thread_pinning.hpp"
#include "tuner/networks/net_bench.hpp"
#include "tuner/networks/net_choice.hpp"
#include "tuner/networks/net_competitors.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/shares.hpp"
#include "tuner/terminal/options.hpp"
#include "tuner/terminal/say.hpp"
#include "tuner/terminal/usage_error.hpp"

namespace tilewright {
namespace {

struct MlpBenchArguments {
  std::string model;
  std::string batches = "100";
  std::vector<std::string> rivals;
  std::string device;
  std::string profile;
  std::string precision = "s";
  std::string seconds;
  bool json = false;
  std::string command_line;
};

NetBenchOptions options_from(const MlpBenchArguments& arguments) {
  NetBenchOptions options;
  options.model_name = arguments.model;
  options.batches = parse_extents("--batch", arguments.batches);
  options.profile = choose_profile(arguments.profile);
  options.precision = net_precision_of(arguments.precision);
  const std::vector<std::string> known = known_net_rivals();
  for (const std::string& rival : arguments.rivals) {
    if (std::find(known.begin(), known.end(), rival) == known.end() && !is_profile_name(rival)) {
      throw UsageError(fmt::format("--rivals: '{}' is none of {}, and no profile (....toml)", rival,
                                   fmt::join(known, ", ")));
    }
  }
  options.rivals = arguments.rivals;
  options.command = arguments.command_line;
  if (!arguments.seconds.empty()) {
    options.seconds_per_batch = parse_duration("--seconds", arguments.seconds);
  }
  return options;
}

void print_head(const NetBenchReport& report) {
  say("{} (widths {}{}) on {} ({}): us, median (10th-90th percentile); steps: device time of their "
      "commands; the rest: wall time of a forward to its finished output, competitors take turns\n",
      report.model_name, widths_text(report.facts), of_elements(report.precision),
      report.conditions.device, report.conditions.platform);
}

void print_tail(const NetBenchReport& report) {
  const double peak = peak_of(report.rates, sums_of(report.precision));
  say("% peak: of the peak of single precision that the profile records{}{}; % launch: time of an "
      "empty kernel as a share of a forward, 100 at most\n{}\nprofile: {}\n",
      peak > 0.0 ? fmt::format(", {:.0f} GFLOPS", peak) : " (this one has none)",
      report.precision == Precision::kHalf ? " (sums of a net of halfs are floats)" : "",
      kRatioMeaning, report.profile);
  for (const auto& [rival, details] : report.rival_details) say("{}: {}\n", rival, details);
  for (const std::string& rival : report.missing_rivals) {
    say("rival {} is missing: {}\n", rival, why_missing(rival));
  }
}

void run_mlp_bench(const MlpBenchArguments& arguments) {
  const NetBenchOptions options = options_from(arguments);
  const MlpModel model = choose_net(arguments.model);
  const DeviceList devices = list_devices();
  const ListedDevice& device = choose_device(devices, arguments.device);
  const std::string warning =
      device_type(device.device) == "cpu" ? thread_warning(device.identity.platform) : "";
  if (!warning.empty()) say(stderr, "{}\n", warning);
  if (arguments.json) {
    const NetBenchReport report = run_net_benchmark(
        device, model, options, [](const NetBenchReport&) {}, [](const NetResult&) {});
    say_lines(to_json(report) + "\n");
    return;
  }
  double peak = 0.0;
  const NetBenchReport report = run_net_benchmark(
      device, model, options,
      [&](const NetBenchReport& begun) {
        peak = peak_of(begun.rates, sums_of(options.precision));
        print_head(begun);
      },
      [&](const NetResult& result) {
        say_lines("\n" + to_table(result, peak));
        std::fflush(standard_output());
      });
  say("\n");
  print_tail(report);
}

}  // namespace

void add_mlp_bench(CLI::App& mlp, const std::string& command_line) {
  CLI::App* command =
      mlp.add_subcommand("bench", "Measure a net's forward and each of its steps, beside rivals");
  auto a = std::make_shared<MlpBenchArguments>();
  a->command_line = command_line;
  command->add_option("model", a->model, kNetHelp)->required();
  command->add_option("--batch", a->batches, "rows at a time: B,...")->capture_default_str();
  command
      ->add_option("--rivals", a->rivals,
                   "of cblas (OpenBLAS for the products, plain loops for the rest, of floats "
                   "always), builtin, and other profiles (....toml)")
      ->delimiter(',');
  add_net_precision_option(*command, a->precision);
  command->add_option("--device", a->device,
                      "number or part of the name; default: first GPU, else first");
  command->add_option("--profile", a->profile,
                      "profile file, or builtin; default: as an application finds it");
  add_time_option(*command, "--seconds", a->seconds,
                  "measuring time for each batch, all competitors together; default: 2s");
  command->add_flag("--json", a->json, "print JSON");
  command->callback([a] { run_mlp_bench(*a); });
}

}  // namespace tilewright
