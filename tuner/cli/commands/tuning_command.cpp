#include "tuner/cli/commands/tuning_command.hpp"
#include "tuner/cli/print.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "profiles/base/usage_error.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/device/binary_cache.hpp"
#include "tuner/cli/device_list.hpp"
#include "tuner/cli/driver_cache.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/doctor/this_machine.hpp"
#include "tuner/search/warm_start.hpp"
#include "tuner/select/profile_join.hpp"
#include "tuner/select/selection.hpp"
#include "tuner/tuning/same_file.hpp"
#include "tuner/tuning/stages/finals.hpp"
#include "tuner/tuning/summary.hpp"
#include "tuner/tuning/used_profile.hpp"

namespace tilewright {
namespace {

constexpr int kMaxKernels = 10000;
constexpr int kMaxValidated = 10000;
constexpr int kMaxCandidates = 1000000000;
constexpr int kStopped = 130;  // the exit code that shells report for a program stopped by Ctrl-C
constexpr int kMaxCompilers = 64;  // each is a process with a context on the device

WriteTarget open_target(const std::string& option, const std::string& file) {
  try {
    return write_target(file);
  } catch (const std::system_error& error) {
    throw UsageError(fmt::format("{}: {}", option, error.what()));
  }
}

// Checks before the tuning that its result can be written.
void require_writable_folder(const std::string& option, const std::string& file) {
  const WriteTarget target = open_target(option, file);
  if (!target.replaced) return;
  const std::filesystem::path folder = std::filesystem::absolute(target.path).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw UsageError(fmt::format("{}: {} is not a folder", option, folder.string()));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw UsageError(fmt::format("{}: {}: {}", option, folder.string(), std::strerror(errno)));
  }
}

std::optional<StrategyKind> parse_strategy_option(const std::string& word) {
  if (word == "auto") return std::nullopt;
  if (const auto kind = parse_strategy(word)) return kind;
  throw UsageError(fmt::format("--strategy: '{}' is not one of auto, {}", word, strategy_words()));
}

Objective parse_objective_option(const std::string& word) {
  if (const auto objective = parse_objective(word)) return *objective;
  throw UsageError(fmt::format("--objective: '{}' is not one of time, energy, energy-delay", word));
}

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

int in_range(const std::string& option, int value, int least, int most) {
  if (value >= least && value <= most) return value;
  throw UsageError(
      fmt::format("{}: {} is not a whole number from {} to {}", option, value, least, most));
}

MeasureOptions make_measure_options(const TuningArguments& arguments) {
  MeasureOptions measure;
  measure.max_dispatch_ns = 1e9 * parse_duration("--max-dispatch", arguments.max_dispatch);
  measure.cold_caches = one_of_two("--caches", arguments.caches, "cold", "warm");
  measure.event_time =
      arguments.timer == "auto" || one_of_two("--timer", arguments.timer, "event", "wall");
  measure.sysfs = arguments.sysfs;
  measure.seed = arguments.seed;
  if (measure.cold_caches && !measure.event_time) {
    throw UsageError("--caches cold needs event timestamps and cannot be used with --timer wall");
  }
  return measure;
}

// Quotes a word for a shell.
std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

// Returns the command that compares the profile with a competitor, on the products of the tuning.
std::string bench_command(const TuneOptions& options, const std::string& profile,
                          const std::string& competitor) {
  std::string command = "tilewright bench --profile " + shell_quoted(profile);
  if (!options.workers.device.empty()) {
    command += " --device " + shell_quoted(options.workers.device);
  }
  if (options.objective != Objective::kTime) {
    command += " --energy";
    if (!options.sensors.empty()) {
      command += " --sensors " + shell_quoted(fmt::format("{}", fmt::join(options.sensors, ",")));
    }
  }
  if (options.precision != Precision::kSingle) {
    command += fmt::format(" --precision {}", to_text(options.precision));
  }
  if (options.ops.size() < 3) {
    std::vector<std::string> ops;
    for (const Op op : options.ops) ops.emplace_back(to_text(op));
    std::string list = fmt::format("{}", fmt::join(ops, ","));
    std::transform(list.begin(), list.end(), list.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    command += " --ops " + list;
  }
  return command + " --compare " +
         (competitor == "builtin" ? competitor : shell_quoted(competitor));
}

int tune_and_write(const TuneOptions& options) {
  require_writable_folder("--output", options.output.empty() ? "x.toml" : options.output);
  if (!options.journal.empty()) require_writable_folder("--journal", options.journal);
  if (options.journal.empty() && !options.output.empty() &&
      !write_target(options.output).replaced) {
    throw UsageError(fmt::format(
        "--output: {} is not a regular file; also name a journal with --journal", options.output));
  }
  TuneProgress progress;
  progress.device_notes = [found = findings_below("/")](const DeviceInfo& device) {
    return lines_before_tuning(found, device);
  };
  const TuneResult result = tune(options, progress);
  // The reason is printed before anything else can fail.
  if (!result.failure.empty()) progress.note(result.failure);
  // An incomplete tuning could not be removed from the profile later.
  const bool half = result.stopped || result.contents.rounds.empty();
  const bool keeps_old = options.replaces_joined && half;
  if (keeps_old) {
    progress.note(fmt::format(
        "{} is unchanged, because the tuning has not reached its finals; run the same command again "
        "to resume, or name another file with --output for the present results",
        result.output));
  }
  if (result.profile.kernels.empty() || keeps_old) {
    for (const std::string& line : failure_lines(result.contents)) progress.note(line);
  } else {
    write_file_atomically(result.output, write_profile(result.profile));
    const auto note = [&](const std::vector<std::string>& lines) {
      for (const std::string& line : lines) progress.note(line);
    };
    note(verdict_lines(result.contents, result.profile));
    print_path(result.output);
    if (!options.b_prepacked && write_target(result.output).replaced) {
      const std::string other = used_profile(result.contents.header.device.identity, result.output);
      if (!other.empty()) {
        progress.note(fmt::format(
            "applications on this device use {} now; compare with it before you install this "
            "profile",
            other));
      }
      progress.note(fmt::format(
          "next: {}\n", bench_command(options, result.output, other.empty() ? "builtin" : other)));
    }
    note(summary_lines(result.contents, result.profile));
    note(failure_lines(result.contents));
    if (options.joins) {
      if (const std::size_t dropped = num_dropped_results(*options.joins, result.profile)) {
        progress.note(fmt::format(
            "{} earlier results are dropped, because their kernels have changed since or fail now; "
            "tune their shapes again",
            dropped));
      }
      if (const std::size_t changed = result.profile.changed_built_in.size()) {
        progress.note(fmt::format(
            "{} of the built-in kernels that the earlier profile measured have changed since, so "
            "their results are dropped; tune their shapes again",
            changed));
      }
    }
    const auto excess = explain_excess(result.profile, options.max_kernels);
    if (excess && !options.joins) progress.note(*excess);
  }
  if (!result.failure.empty()) {
    throw std::runtime_error(
        fmt::format("the tuning ended early (see above); its results are in {}", result.journal));
  }
  if (!result.stopped && result.profile.kernels.empty()) {
    throw std::runtime_error(
        "no candidate was tried, so no profile is written; run the same command with a longer "
        "--budget");
  }
  if (!result.stopped) return keeps_old ? 1 : 0;
  progress.note(fmt::format(
      "stopped; {} results are in {}; run the same command again{} to resume{}",
      result.contents.outcomes.size(), result.journal, options.fresh ? " without --fresh" : "",
      result.profile.kernels.empty() || keeps_old ? "" : ", or use the profile as it is"));
  return kStopped;
}

}  // namespace

TuneOptions tuning_options(const TuningArguments& arguments, const std::string& command_line) {
  TuneOptions options;
  options.budget_s = parse_duration("--budget", arguments.budget);
  options.candidates = in_range("--candidates", arguments.candidates, 0, kMaxCandidates);
  options.rounds = in_range("--rounds", arguments.rounds, 0, kMaxRounds);
  options.validate = in_range("--validate", arguments.validate, 0, kMaxValidated);
  options.seed = arguments.seed;
  options.strategy = parse_strategy_option(arguments.strategy);
  options.only = parse_only(arguments.only);
  options.starting_points = !arguments.no_starting_points;
  if (!options.starting_points && options.strategy == StrategyKind::kKnown) {
    throw UsageError(
        "--no-starting-points: cannot be used with --strategy known, which tries only these");
  }
  options.packed = !arguments.no_packing;
  options.max_kernels = in_range("--max-kernels", arguments.max_kernels, 0, kMaxKernels);
  options.compilers = in_range("--compilers", arguments.compilers, -1, kMaxCompilers);
  for (const std::string& file : arguments.warm_start) {
    options.warm_start.push_back(load_profile(file));
  }
  options.measure = make_measure_options(arguments);
  options.objective = parse_objective_option(arguments.objective);
  options.energy_sample_s = parse_duration("--energy-sample", arguments.energy_sample);
  options.sensors = arguments.sensors;
  if (options.objective != Objective::kTime && options.measure.cold_caches) {
    throw UsageError(
        fmt::format("--objective {}: cannot be used with --caches cold, because the energy is that "
                    "of launches one after the other",
                    to_text(options.objective)));
  }
  options.workers.device = arguments.device;
  options.workers.sysfs = arguments.sysfs;
  options.workers.on_failures = print_failures;
  // Tunings use a separate part of the cache, because thousands of candidates would displace the
  // kernels of applications.
  const std::string cache = default_cache_folder();
  if (!cache.empty()) options.workers.cache_dir = cache + "/tuning";
  options.workers.deadlines.build_s = parse_duration("--build-deadline", arguments.build_deadline);
  options.workers.deadlines.launch_s =
      parse_duration("--launch-deadline", arguments.launch_deadline);
  options.output = arguments.output;
  options.inputs = arguments.warm_start;
  if (!arguments.profile.empty()) {
    options.joins = load_profile(arguments.profile);
    // The kernels of the profile are tried first, and measured together with the new ones.
    options.warm_start.insert(options.warm_start.begin(), *options.joins);
    if (options.output.empty()) options.output = arguments.profile;
    options.replaces_joined = is_same_file(options.output, arguments.profile);
    if (!options.replaces_joined) options.inputs.push_back(arguments.profile);
  }
  options.journal = arguments.journal;
  options.fresh = arguments.fresh;
  options.overwrite = arguments.overwrite;
  options.command_line = command_line;
  return options;
}

void set_precision(Precision precision, TuneOptions& options) {
  options.precision = precision;
  for (Profile& profile : options.warm_start) profile = warm_profile(profile, precision);
  if (!is_network_type(precision)) options.activations.clear();
  options.softmax = options.softmax && is_network_type(precision);
}

int run_tuning(const TuneOptions& options) {
  const PrivateDriverCache cache;
  try {
    return tune_and_write(options);
  } catch (const StoppedBeforeWork& stopped) {
    print(stderr, "{}; run the same command again\n", stopped.what());
    return kStopped;
  }
}

namespace {

void add_output_options(CLI::App& command, TuningArguments& a) {
  command.option_defaults()->group("Output");
  command.add_option("--output", a.output, "Profile to write [default: DEVICE-NAME.toml]")
      ->type_name("FILE");
  command
      .add_option(
          "--profile", a.profile,
          "Keep the kernels of this profile of the device and add to them; without --output "
          "the file is replaced")
      ->type_name("FILE");
  command
      .add_option("--journal", a.journal,
                  "Log of all results, from which an interrupted tuning resumes [default: the "
                  "output's name and .journal.jsonl]")
      ->type_name("FILE");
  command.add_flag("--fresh", a.fresh, "Start over, even if the journal has results");
  command.add_flag("--overwrite", a.overwrite,
                   "Replace the output file, even if another tuning wrote it");
  command.add_option(
      "--max-kernels", a.max_kernels,
      "Limit the number of product kernels in the profile (a general one for each op is "
      "always kept) [default: no limit]");
}

void add_time_options(CLI::App& command, TuningArguments& a) {
  command.option_defaults()->group("Time");
  add_time_option(command, "--budget", a.budget, "Time for the whole tuning")
      ->capture_default_str();
  command.add_option("--candidates", a.candidates,
                     "Stop the search after N candidates [default: no limit]");
  command.add_option("--rounds", a.rounds,
                     "Stop the final comparison after N rounds [default: when the ranking is "
                     "certain or its time is over]");
}

void add_search_options(CLI::App& command, TuningArguments& a) {
  command.option_defaults()->group("Search");
  command.add_option("--strategy", a.strategy, "Search strategy: auto, " + strategy_words())
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--seed", a.seed, "Random seed of the search and of the matrices")
      ->capture_default_str();
  CLI::Option* warm =
      command.add_option("--warm-start", a.warm_start, "Try the kernels of these profiles first")
          ->type_name("FILE...");
  command
      .add_flag("--no-starting-points", a.no_starting_points,
                "Do not start the search from kernels that are known to be good")
      ->excludes(warm);
  command
      .add_option("--only", a.only,
                  "Search a parameter over these values only, for example tile_m=4,8")
      ->type_name("NAME=LIST...");
  command.add_flag("--no-packing", a.no_packing, "Do not search kernels that need packed operands");
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
  command.add_option("--compilers", a.compilers,
                     "Number of processes that compile in advance [default: by number of cores]");
  command.add_option("--sysfs", a.sysfs, "Folder with the clocks of the device")
      ->type_name("FOLDER")
      ->capture_default_str();
}

void add_objective_options(CLI::App& command, TuningArguments& a) {
  command.option_defaults()->group("Objective");
  CLI::Option* objective =
      command
          .add_option("--objective", a.objective,
                      "What the final comparison minimises: time, energy, or energy-delay (energy "
                      "times time); the last two need a sensor (see tilewright devices)")
          ->type_name("NAME")
          ->capture_default_str();
  command
      .add_option("--sensors", a.sensors,
                  "The sensors whose energy is added up, by parts of their names [default: those "
                  "that cover the device]")
      ->type_name("LIST")
      ->delimiter(',')
      ->needs(objective);
  add_time_option(command, "--energy-sample", a.energy_sample,
                  "Minimum length of a sample of energy")
      ->capture_default_str()
      ->needs(objective);
}

}  // namespace

void add_tuning_options(CLI::App& command, TuningArguments& a) {
  add_device_option(command, a.device);
  add_time_options(command, a);
  add_output_options(command, a);
  add_search_options(command, a);
  add_measuring_options(command, a);
  add_objective_options(command, a);
  command.option_defaults()->group("Options");
}

}  // namespace tilewright
