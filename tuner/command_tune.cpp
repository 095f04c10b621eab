#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "profiles/atomic_file.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/binary_cache.hpp"
#include "tuner/commands.hpp"
#include "tuner/device_choice.hpp"
#include "tuner/dry_run.hpp"
#include "tuner/selection.hpp"
#include "tuner/shapes.hpp"
#include "tuner/tune_progress.hpp"
#include "tuner/usage_error.hpp"

namespace tilewright {
namespace {

constexpr int kMostKernels = 10000;
constexpr int kStopped = 130;       // exit code, what shells say of a program that Ctrl-C ended
constexpr int kMostCompilers = 64;  // each is a process with a context on the device

struct TuneArguments {
  std::string device;
  std::string limits;
  std::string shapes = "paper";
  std::string ops = "nn,nt,tn";
  std::string budget = "10m";
  std::string output;
  std::string journal;
  std::string strategy = "auto";
  std::string shard = "1/1";
  std::string max_dispatch = "200ms";
  std::string build_deadline = "2m";
  std::string launch_deadline = "10s";
  std::string caches = "warm";
  std::string timer = "auto";
  std::string sysfs = "/sys";
  std::vector<std::string> only;
  std::vector<std::string> warm_start;
  std::uint64_t seed = 1;
  int max_kernels = 0;
  int compilers = -1;
  bool fresh = false;
  bool no_packing = false;
  bool dry_run = false;
};

// Finds out before the tuning, not after it, that its result could not be written.
void require_writable_folder(const std::string& option, const std::string& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (!std::filesystem::is_directory(folder)) {
    throw UsageError(fmt::format("{}: {} is not a folder", option, folder.string()));
  }
  if (std::filesystem::is_directory(file)) {
    throw UsageError(fmt::format("{}: {} is a folder", option, file));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw UsageError(fmt::format("{}: {}: {}", option, folder.string(), std::strerror(errno)));
  }
}

// "2/8": the second of eight.
void parse_shard(const std::string& text, TuneOptions& options) {
  const char* end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, options.shard);
  bool ok = error == std::errc() && slash != end && *slash == '/';
  if (ok) {
    const auto [stop, rest] = std::from_chars(slash + 1, end, options.shards);
    ok = rest == std::errc() && stop == end;
  }
  if (!ok || options.shard < 1 || options.shards < options.shard) {
    throw UsageError(fmt::format("--shard: '{}' is no part such as 1/4", text));
  }
}

std::optional<StrategyKind> strategy_of(const std::string& word) {
  if (word == "auto") return std::nullopt;
  if (const auto kind = parse_strategy(word)) return kind;
  throw UsageError(
      fmt::format("--strategy: '{}' is none of auto, exhaustive, random, greedy, iterated", word));
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
      fmt::format("{}: {} is no whole number from {} to {}", option, value, least, most));
}

MeasureOptions measure_of(const TuneArguments& arguments) {
  MeasureOptions measure;
  measure.max_dispatch_ns = 1e9 * parse_duration("--max-dispatch", arguments.max_dispatch);
  measure.cold_caches = one_of_two("--caches", arguments.caches, "cold", "warm");
  measure.event_time =
      arguments.timer == "auto" || one_of_two("--timer", arguments.timer, "event", "wall");
  measure.sysfs = arguments.sysfs;
  measure.seed = arguments.seed;
  if (measure.cold_caches && !measure.event_time) {
    throw UsageError("--caches cold needs event times: it cannot go with --timer wall");
  }
  return measure;
}

TuneOptions options_of(const TuneArguments& arguments, const std::string& command_line) {
  TuneOptions options;
  options.shapes = parse_shapes(arguments.shapes);
  options.ops = parse_ops(arguments.ops, false);
  options.budget_s = parse_duration("--budget", arguments.budget);
  options.seed = arguments.seed;
  options.strategy = strategy_of(arguments.strategy);
  options.only = parse_only(arguments.only);
  options.packed = !arguments.no_packing;
  parse_shard(arguments.shard, options);
  options.max_kernels = in_range("--max-kernels", arguments.max_kernels, 0, kMostKernels);
  options.compilers = in_range("--compilers", arguments.compilers, -1, kMostCompilers);
  for (const std::string& file : arguments.warm_start) {
    options.warm_start.push_back(load_profile(file));
  }
  options.measure = measure_of(arguments);
  options.workers.device = arguments.device;
  options.workers.sysfs = arguments.sysfs;
  // Its own part of the cache: thousands of candidates would drive out what applications keep
  // there.
  const std::string cache = default_cache_folder();
  if (!cache.empty()) options.workers.cache_dir = cache + "/tuning";
  options.workers.deadlines.build_s = parse_duration("--build-deadline", arguments.build_deadline);
  options.workers.deadlines.launch_s =
      parse_duration("--launch-deadline", arguments.launch_deadline);
  options.output = arguments.output;
  options.journal = arguments.journal;
  options.fresh = arguments.fresh;
  options.command_line = command_line;
  return options;
}

int tune_and_write(const TuneArguments& arguments, const std::string& command_line) {
  const TuneOptions options = options_of(arguments, command_line);
  require_writable_folder("--output", options.output.empty() ? "x.toml" : options.output);
  if (!options.journal.empty()) require_writable_folder("--journal", options.journal);
  TuneProgress progress;
  const TuneResult result = tune(options, progress);
  // Whatever fails next, why the tuning ended is told.
  if (!result.failure.empty()) progress.note(result.failure);
  if (result.profile.kernels.empty()) {
    progress.failures(result.contents);
  } else {
    write_file_atomically(result.output, write_profile(result.profile));
    progress.summary(result.contents, result.profile);
    if (const auto excess = excess_of(result.profile, options.max_kernels)) progress.note(*excess);
    std::printf("%s\n", result.output.c_str());
  }
  if (!result.failure.empty()) {
    throw std::runtime_error(fmt::format(
        "the tuning ended early, see above; what was measured is in {}", result.journal));
  }
  if (!result.stopped) return 0;
  progress.note(
      fmt::format("stopped; {} candidates are in {}: run the same command again to go on{}",
                  result.contents.outcomes.size(), result.journal,
                  result.profile.kernels.empty() ? "" : ", or use the profile as it is"));
  return kStopped;
}

DeviceFacts facts_of(const ListedDevice& device) {
  DeviceFacts facts;
  facts.identity = device.identity;
  facts.limits = space_limits(device);
  facts.hints = device_hints(device.device);
  facts.type = device_type(device.device);
  return facts;
}

// A candidate a line: phase, expected merit, point.
int plan_and_print(const TuneArguments& arguments, const std::string& command_line) {
  const TuneOptions options = options_of(arguments, command_line);
  const DeviceFacts device = arguments.limits.empty()
                                 ? facts_of(choose_device(list_devices(), arguments.device))
                                 : facts_of(read_device(arguments.limits));
  for (const PlannedCandidate& candidate : planned_candidates(options, device)) {
    fmt::print("{}\t{:.4g}\t{}\n", candidate.phase, candidate.merit, to_text(candidate.point));
  }
  return 0;
}

int run_tune(const TuneArguments& arguments, const std::string& command_line) {
  if (arguments.dry_run) return plan_and_print(arguments, command_line);
  if (!arguments.limits.empty()) {
    throw UsageError("--limits: a device that is not here can only be tuned with --dry-run");
  }
  try {
    return tune_and_write(arguments, command_line);
  } catch (const StoppedBeforeWork& stopped) {
    std::fprintf(stderr, "%s; run the same command again\n", stopped.what());
    return kStopped;
  }
}

}  // namespace

void add_tune_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("tune", "Find the device's best kernels and write its profile");
  auto a = std::make_shared<TuneArguments>();
  CLI::Option* device = command->add_option(
      "--device", a->device, "number or part of the name; default: first GPU, else first");
  command->add_flag("--dry-run", a->dry_run,
                    "print the candidates instead, as models order them: phase, merit, point");
  command
      ->add_option("--limits", a->limits,
                   "with --dry-run: known device or limits file of one that is not here")
      ->excludes(device);
  command
      ->add_option("--shapes", a->shapes,
                   std::string("MxNxK,..., a file of them, or one of ") + kShapePresets)
      ->capture_default_str();
  command->add_option("--ops", a->ops, "operand combinations")->capture_default_str();
  command->add_option("--budget", a->budget, "time to spend, such as 90s, 2m, 1h30m")
      ->capture_default_str();
  command->add_option("--seed", a->seed, "of data and search")
      ->capture_default_str()
      ->check([](const std::string& text) {
        return text.find('-') == std::string::npos ? "" : "it must not be negative";
      });
  command->add_option("--output", a->output, "profile to write; default: <device name>.toml");
  command->add_option("--journal", a->journal,
                      "every outcome; a tuning goes on from it; default: <output>.journal.jsonl");
  command->add_flag("--fresh", a->fresh, "start over, whatever the journal holds");
  command->add_option("--warm-start", a->warm_start, "profile whose kernels are tried first");
  command->add_option("--strategy", a->strategy, "auto, exhaustive, random, greedy, iterated")
      ->capture_default_str();
  command->add_option("--only", a->only,
                      "search a parameter over these values only, such as tile_m=4,8");
  command->add_flag("--no-packing", a->no_packing, "no kernels whose operands are packed first");
  command->add_option("--shard", a->shard, "part of the space, such as 2/8; see merge")
      ->capture_default_str();
  command
      ->add_option(
          "--max-kernels", a->max_kernels,
          "of products in the profile (a general one for each op stays); 0: as many as change "
          "anything")
      ->capture_default_str();
  command->add_option("--max-dispatch", a->max_dispatch, "no launch is predicted to take longer")
      ->capture_default_str();
  command->add_option("--build-deadline", a->build_deadline, "of compiling one kernel")
      ->capture_default_str();
  command
      ->add_option("--launch-deadline", a->launch_deadline, "of one launch, beyond its prediction")
      ->capture_default_str();
  command
      ->add_option("--compilers", a->compilers, "processes that compile ahead; -1: as cores allow")
      ->capture_default_str();
  command->add_option("--caches", a->caches, "of the device: warm or cold")->capture_default_str();
  command->add_option("--timer", a->timer, "auto, event or wall")->capture_default_str();
  command->add_option("--sysfs", a->sysfs, "where clocks are read")->capture_default_str();
  command->callback([a, command_line, &exit_code] { exit_code = run_tune(*a, command_line); });
}

}  // namespace tilewright
