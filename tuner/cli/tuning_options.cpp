#include "tuner/cli/tuning_options.hpp"

#include <fmt/format.h>

#include "codelets/space/space.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/binary_cache.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/search/warm_start.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/stages/finals.hpp"
#include "tuner/tuning/tuning_files.hpp"

namespace tilewright {
namespace {

constexpr int kMaxKernels = 10000;
constexpr int kMaxValidated = 10000;
constexpr int kMaxCandidates = 1000000000;
constexpr int kMaxCompilers = 64;  // each is a process with a context on the device

bool one_of_two(const std::string& option, const std::string& word, const std::string& yes,
                const std::string& no) {
  if (word == yes || word == no) return word == yes;
  throw UsageError(fmt::format("{}: '{}' is neither {} nor {}", option, word, yes, no));
}

std::map<std::string, std::vector<std::string>> parse_only(const std::vector<std::string>& texts) {
  try {
    return parse_restrictions(texts);
  } catch (const ParameterError& error) {
    throw UsageError(fmt::format("--only: {}", error.what()));
  }
}

void check_range(const std::string& option, int value, int least, int most) {
  if (value >= least && value <= most) return;
  throw UsageError(
      fmt::format("{}: {} is not a whole number from {} to {}", option, value, least, most));
}

void set_measuring(const TuningArguments& arguments, TuneOptions& options) {
  MeasureOptions& measure = options.measure;
  measure.max_dispatch_ns = 1e9 * parse_duration("--max-dispatch", arguments.max_dispatch);
  measure.cold_caches = one_of_two("--caches", arguments.caches, "cold", "warm");
  measure.event_time =
      arguments.timer == "auto" || one_of_two("--timer", arguments.timer, "event", "wall");
  measure.seed = options.seed;
  if (measure.cold_caches && !measure.event_time) {
    throw UsageError("--caches cold needs event timestamps and cannot be used with --timer wall");
  }
}

void add_output_options(CLI::App& command, TuningArguments& a) {
  command.option_defaults()->group("Output");
  command.add_option("--output", a.options.output, "Profile to write [default: DEVICE-NAME.toml]")
      ->type_name("FILE");
  command
      .add_option(
          "--profile", a.profile,
          "Keep the kernels of this profile of the device and add to them; without --output "
          "the file is replaced")
      ->type_name("FILE");
  command
      .add_option("--journal", a.options.journal,
                  "Log of all results, from which an interrupted tuning resumes [default: the "
                  "output's name and .journal.jsonl]")
      ->type_name("FILE");
  command.add_flag("--fresh", a.options.fresh, "Start over, even if the journal has results");
  add_verbose_flag(command, a.options.verbose);
  command.add_flag("--overwrite", a.options.overwrite,
                   "Replace the output file, even if another tuning wrote it");
  command.add_option(
      "--max-kernels", a.options.max_kernels,
      "Limit the number of product kernels in the profile (a general one for each op is "
      "always kept) [default: no limit]");
}

void add_time_options(CLI::App& command, TuningArguments& a) {
  command.option_defaults()->group("Time");
  add_time_option(command, "--budget", a.budget, "Time for the whole tuning")
      ->capture_default_str();
  command.add_option("--candidates", a.options.candidates,
                     "Stop the search after N candidates [default: no limit]");
  command.add_option("--rounds", a.options.rounds,
                     "Stop the final comparison after N rounds [default: when the ranking is "
                     "certain or its time is over]");
}

void add_search_options(CLI::App& command, TuningArguments& a) {
  command.option_defaults()->group("Search");
  command
      .add_option("--strategy", a.strategy,
                  "auto: search; known: try only kernels that are known to be good")
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--seed", a.options.seed, "Random seed of the search and of the matrices")
      ->capture_default_str();
  CLI::Option* warm =
      command.add_option("--warm-start", a.warm_start, "Try the kernels of these profiles first")
          ->type_name("FILE...");
  command
      .add_flag_callback(
          "--no-starting-points", [&a] { a.options.starting_points = false; },
          "Do not start the search from kernels that are known to be good")
      ->excludes(warm);
  command
      .add_option("--only", a.only,
                  "Search a parameter over these values only, for example tile_m=4,8")
      ->type_name("NAME=LIST...");
  command.add_flag_callback(
      "--no-packing", [&a] { a.options.packed = false; },
      "Do not search kernels that need packed operands");
}

void add_measuring_options(CLI::App& command, TuningArguments& a) {
  command.option_defaults()->group("Measuring");
  command
      .add_option("--timer", a.timer,
                  "Clock for kernels: event, wall, or auto (event if the "
                  "driver supports it)")
      ->type_name("CLOCK")
      ->capture_default_str();
  command.add_option("--caches", a.caches, "State of the caches before each launch: warm or cold")
      ->type_name("STATE")
      ->capture_default_str();
  add_time_option(command, "--max-dispatch", a.max_dispatch,
                  "Skip launches that are predicted to take longer")
      ->capture_default_str();
  add_time_option(command, "--build-deadline", a.build_deadline,
                  "Give up a kernel that takes longer to compile")
      ->capture_default_str();
  add_time_option(command, "--launch-deadline", a.launch_deadline,
                  "Give up a launch that exceeds its predicted time by this much")
      ->capture_default_str();
  command.add_option("--compilers", a.options.compilers,
                     "Number of processes that compile in advance [default: by number of cores]");
  command.add_option("--sysfs", a.options.measure.sysfs, "Folder with the clocks of the device")
      ->type_name("FOLDER")
      ->capture_default_str();
}

}  // namespace

void add_tuning_options(CLI::App& command, TuningArguments& a) {
  add_device_option(command, a.options.workers.device);
  add_time_options(command, a);
  add_output_options(command, a);
  add_search_options(command, a);
  add_measuring_options(command, a);
  command.option_defaults()->group("Options");
}

TuneOptions tuning_options(const TuningArguments& arguments, const std::string& command_line) {
  TuneOptions options = arguments.options;
  options.budget_s = parse_duration("--budget", arguments.budget);
  check_range("--candidates", options.candidates, 0, kMaxCandidates);
  check_range("--rounds", options.rounds, 0, kMaxRounds);
  check_range("--validate", options.validate, 0, kMaxValidated);
  options.known_only = one_of_two("--strategy", arguments.strategy, "known", "auto");
  options.only = parse_only(arguments.only);
  if (!options.starting_points && options.known_only) {
    throw UsageError(
        "--no-starting-points: cannot be used with --strategy known, which tries only these");
  }
  check_range("--max-kernels", options.max_kernels, 0, kMaxKernels);
  check_range("--compilers", options.compilers, -1, kMaxCompilers);
  for (const std::string& file : arguments.warm_start) {
    options.warm_start.push_back(load_profile(file));
  }
  set_measuring(arguments, options);
  options.workers.sysfs = options.measure.sysfs;
  options.workers.on_failures = print_failures;
  // Tunings use a separate part of the cache, because thousands of candidates would displace the
  // kernels of applications.
  const std::string cache = default_cache_folder();
  if (!cache.empty()) options.workers.cache_dir = cache + "/tuning";
  options.workers.deadlines.build_s = parse_duration("--build-deadline", arguments.build_deadline);
  options.workers.deadlines.launch_s =
      parse_duration("--launch-deadline", arguments.launch_deadline);
  options.inputs = arguments.warm_start;
  if (!arguments.profile.empty()) {
    options.joins = load_profile(arguments.profile);
    // The kernels of the profile are tried first, and measured together with the new ones.
    options.warm_start.insert(options.warm_start.begin(), *options.joins);
    if (options.output.empty()) options.output = arguments.profile;
    options.replaces_joined = is_same_file(options.output, arguments.profile);
    if (!options.replaces_joined) options.inputs.push_back(arguments.profile);
  }
  options.command_line = command_line;
  return options;
}

void set_precision(Precision precision, TuneOptions& options) {
  options.precision = precision;
  for (Profile& profile : options.warm_start) profile = warm_profile(profile, precision);
  if (!is_network_type(precision)) options.activations.clear();
  options.softmax = options.softmax && is_network_type(precision);
}

}  // namespace tilewright
