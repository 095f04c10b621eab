#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/base/usage_error.hpp"
#include "profiles/base/write_file.hpp"
#include "profiles/digest.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "tuner/cli/commands/commands.hpp"
#include "tuner/cli/network_needs.hpp"
#include "tuner/cli/options.hpp"
#include "tuner/cli/print.hpp"
#include "tuner/cli/run_tuning.hpp"
#include "tuner/cli/shape_options.hpp"
#include "tuner/cli/tuning_options.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/device/limits_file.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/team/team_members.hpp"
#include "tuner/team/team_tuning.hpp"
#include "tuner/tuning/search_tasks.hpp"

namespace tilewright {
namespace {

struct TuneArguments {
  TuningArguments common;
  std::string limits;
  std::string shapes = "auto";
  std::string ops = "nn,nt,tn";
  std::string precision = "s";
  std::string shard = "1/1";
  std::string activations = "relu,identity";
  bool dry_run = false;
  std::optional<std::string> team;
};

constexpr const char* kTeamShapes = "256x256x256,512x512x512,1024x1024x1024,2048x2048x2048";

ElementType team_type(const std::string& precision) {
  const NumberType type = parse_number_type(precision);
  if (!type.complex) return to_element_type(type.precision);
  return type.precision == Precision::kDouble ? ElementType::kComplexDouble
                                              : ElementType::kComplexFloat;
}

// "auto" stands for four cubes; shapes that follow it are added.
std::vector<GemmShape> team_shapes(const std::string& argument) {
  const ShapeChoice choice = parse_shape_choice(argument);
  if (!choice.design) return choice.shapes;
  std::vector<GemmShape> shapes = parse_shapes(kTeamShapes);
  shapes.insert(shapes.end(), choice.shapes.begin(), choice.shapes.end());
  return shapes;
}

// Only another team profile is replaced without --overwrite.
void refuse_other_file(const std::string& output) {
  if (!std::filesystem::is_regular_file(output)) return;
  try {
    load_team_profile(output);
  } catch (const ProfileError&) {
    throw UsageError(fmt::format(
        "--output: '{}' exists and is not a team profile; --overwrite replaces it", output));
  }
}

// Prints the rates of each shape, and writes the team profile.
void run_team_tuning(const TuneArguments& arguments) {
  const std::string& output = arguments.common.options.output;  // "": none is written
  const std::vector<TeamMemberName> names = parse_team(*arguments.team);
  TeamTuning tuning;
  tuning.type = team_type(arguments.precision);
  tuning.shapes = team_shapes(arguments.shapes);
  tuning.budget_s = parse_duration("--budget", arguments.common.budget);
  tuning.seconds = seconds_per_measurement(tuning.budget_s, tuning.shapes.size(), names.size());
  if (!arguments.common.options.overwrite) refuse_other_file(output);
  tuning.members = open_team(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!tuning.members[i]->supports(tuning.type)) {
      throw UsageError(fmt::format("--precision: '{}' does not support type {}", names[i].text,
                                   arguments.precision));
    }
    print("member {}, {}: {}\n", i, names[i].text, tuning.members[i]->profile_name());
  }
  print(
      "type {}, NN, row-major, random numbers in host memory; GFLOPS: median (10th-90th "
      "percentile) "
      "of the products in {:.3g} s\n",
      arguments.precision, tuning.seconds);
  // An error at a later shape keeps the earlier ones.
  const auto done = [&](const TeamSamples& samples, const TeamProfile& profile) {
    print("{}\n", to_text(samples));
    if (output.empty()) return;
    const std::string text = write_team_profile(profile);
    parse_team_profile(text, output);  // only what can be read is written
    write_file_atomically(output, text);
  };
  const std::size_t num_measured = tune_team(tuning, done).results.size();
  for (std::size_t i = num_measured; i < tuning.shapes.size(); ++i) {
    print(stderr, "tilewright: --budget: there was no time for {}\n", to_text(tuning.shapes[i]));
  }
  if (!output.empty()) print_path(output);
}

// Parses a shard: "2/8" is the second of eight.
void parse_shard(const std::string& text, TuneOptions& options) {
  const char* end = text.data() + text.size();
  const auto [slash, error] = std::from_chars(text.data(), end, options.shard);
  bool ok = error == std::errc() && slash != end && *slash == '/';
  if (ok) {
    const auto [stop, rest] = std::from_chars(slash + 1, end, options.shards);
    ok = rest == std::errc() && stop == end;
  }
  if (!ok || options.shard < 1 || options.shards < options.shard) {
    throw UsageError(fmt::format("--shard: '{}' is not of the form I/N, such as 1/4", text));
  }
}

// Returns a text that distinguishes the journals of tunings that add to one profile.
std::string journal_suffix(const TuneArguments& arguments) {
  const bool single = parse_precision_option(arguments.precision) == Precision::kSingle;
  return arguments.ops + " " + arguments.shapes + (single ? "" : " " + arguments.precision);
}

// Prints one candidate per line: task, expected score, point.
int plan_and_print(const TuneArguments& arguments, const TuneOptions& options) {
  const DeviceInfo device =
      arguments.limits.empty()
          ? describe_device(choose_device(list_devices(), options.workers.device))
          : read_device(arguments.limits);
  for (const DryRunCandidate& candidate : dry_run_candidates(options, device)) {
    print("{}\t{:.4g}\t{}\n", candidate.task, candidate.score, to_text(candidate.point));
  }
  return 0;
}

// Tunes for one precision.
int tune_one(const TuneArguments& arguments, const std::string& command_line) {
  TuneOptions options = tuning_options(arguments.common, command_line);
  const ShapeChoice shapes = parse_shape_choice(arguments.shapes);
  options.shapes = shapes.shapes;
  // If the argument is a preset or a list it names no file, and cannot equal the output.
  const std::size_t names_start = arguments.shapes.starts_with("auto,") ? 5 : 0;
  options.inputs.push_back(arguments.shapes.substr(names_start));
  options.design = shapes.design;
  options.ops = parse_ops(arguments.ops, false);
  options.activations = parse_activations("--activations", arguments.activations);
  options.softmax = !options.activations.empty();
  set_precision(parse_precision_option(arguments.precision), options);
  parse_shard(arguments.shard, options);
  // Each tuning that adds to a profile has its own journal; the profile's original journal is not
  // changed.
  if (options.joins) {
    options.journal_ending =
        fmt::format(".{}.journal.jsonl", digest_bytes(journal_suffix(arguments)).substr(5, 8));
  }
  if (arguments.dry_run) return plan_and_print(arguments, options);
  if (!arguments.limits.empty()) {
    throw UsageError("--limits: works only with --dry-run; tuning needs the device itself");
  }
  return run_tuning(options);
}

// Tunes for each precision in turn, with an equal share of the time, and writes one profile.
int run_tune(const TuneArguments& arguments, const std::string& command_line) {
  const TuneOptions& given = arguments.common.options;
  if (arguments.team) {
    run_team_tuning(arguments);
    return 0;
  }
  const std::vector<Precision> precisions = parse_precisions(arguments.precision);
  if (precisions.size() == 1) return tune_one(arguments, command_line);
  const std::string output = given.output.empty() ? arguments.common.profile : given.output;
  if (output.empty() && !arguments.dry_run) {
    throw UsageError(
        "--precision: a list of types needs --output or --profile, because they share one profile");
  }
  if (!given.journal.empty()) {
    throw UsageError(
        "--journal: cannot be used with a list of types, because each type has its own journal");
  }
  if (!arguments.dry_run && arguments.limits.empty()) {
    // A worker process opens the device. In this process, drivers would start threads before
    // run_tuning() changes the environment.
    WorkerSetup setup;
    setup.on_failures = print_failures;
    setup.device = given.workers.device;
    const DeviceInfo device = DeviceWorker(setup).facts();
    for (const Precision precision : precisions) {
      if (required_extension(precision).empty() || device.has_double) continue;
      throw UsageError(
          fmt::format("--precision: device '{}' does not support {}, which type {} needs",
                      device.identity.name, required_extension(precision), to_text(precision)));
    }
  }
  TuneArguments one = arguments;
  const double budget_s = parse_duration("--budget", arguments.common.budget);
  one.common.budget = fmt::format("{}s", budget_s / static_cast<double>(precisions.size()));
  for (const Precision precision : precisions) {
    one.precision = to_text(precision);
    const int exit_code = tune_one(one, command_line);
    if (exit_code != 0) return exit_code;
    if (!arguments.dry_run) one.common.profile = output;
  }
  return 0;
}

void add_product_options(CLI::App& command, TuneArguments& arguments) {
  command.option_defaults()->group("What to tune");
  command
      .add_option("--shapes", arguments.shapes,
                  std::string("auto (24 to 28 shapes that represent all), MxNxK,..., a file with a "
                              "shape on each line, or a preset (") +
                      kShapePresets + "); auto,MxNxK,... adds shapes to auto")
      ->type_name("SHAPES")
      ->capture_default_str();
  command.add_option("--ops", arguments.ops, "Transposes of A and B: nn, nt, tn")
      ->type_name("LIST")
      ->capture_default_str();
  add_precisions_option(command, arguments.precision);
  command
      .add_option("--activations", arguments.activations,
                  "For networks: tune kernels with a bias and these activations, too "
                  "(`tilewright emit --help` lists them), or none")
      ->type_name("LIST")
      ->capture_default_str();
}

void add_validation_option(CLI::App& command, TuneArguments& arguments) {
  command.option_defaults()->group("Time");
  command.add_option("--validate", arguments.common.options.validate,
                     "Check the choice on N random products, and report on N others (only with "
                     "--shapes auto) [default: as many as there is time for; none with "
                     "--candidates or --rounds]");
}

void add_search_options(CLI::App& command, TuneArguments& arguments) {
  command.option_defaults()->group("Search");
  command
      .add_option("--shard", arguments.shard,
                  "I/N: search only part I of N of the space; `tilewright merge` combines the "
                  "parts")
      ->type_name("PART")
      ->capture_default_str();
  command.add_flag("--dry-run", arguments.dry_run,
                   "Print the candidates in the order of the search, and exit: task, predicted "
                   "score, point");
  add_limits_option(command, arguments.limits)
      ->description("With --dry-run: a known device, such as mali-t628, or a limits file")
      ->excludes("--device");
}

// --team, which excludes all options that do not apply to teams. Call it after all other options
// are added.
void add_team_option(CLI::App& command, TuneArguments& arguments) {
  command.option_defaults()->group("Teams");
  const std::vector<CLI::Option*> others = command.get_options([](const CLI::Option* option) {
    constexpr const char* kForTeams[] = {"--shapes", "--precision", "--budget",
                                         "--output", "--overwrite", "--help"};
    return std::none_of(std::begin(kForTeams), std::end(kForTeams),
                        [&](const char* name) { return option->check_name(name); });
  });
  CLI::Option* const team =
      command
          .add_option(
              "--team", arguments.team,
              "Tune no kernels: measure these members, alone and at the same time, and write a "
              "team profile. Numbers of devices (0/2: a part of two compute units), and names "
              "of CBLAS libraries, whose variables set their threads (OPENBLAS_NUM_THREADS=4). "
              "--budget is divided equally among all measurements, of which each takes at most "
              "2 s, and at least two products; --shapes, --precision, --output and --overwrite "
              "apply, no other options")
          ->type_name("LIST");
  for (CLI::Option* other : others) team->excludes(other);
}

}  // namespace

void add_tune_command(CLI::App& app, const std::string& command_line, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("tune",
                         "Find the fastest kernels for a device and write a profile\n\n"
                         "An interrupted tuning resumes when the same command is run again.");
  auto a = std::make_shared<TuneArguments>();
  add_product_options(*command, *a);
  add_tuning_options(*command, a->common);
  add_validation_option(*command, *a);
  add_search_options(*command, *a);
  add_team_option(*command, *a);
  command->footer(
      "Examples:\n"
      "  tilewright tune --budget 1h --output board.toml\n"
      "  tilewright tune --budget 10m --shapes auto,64x1000x784 --ops nt --output board.toml\n"
      "  tilewright tune --profile board.toml --precision h   # add half-precision kernels\n"
      "  tilewright tune --team 0,libopenblas.so.0 --output team.toml");
  command->callback([a, command_line, &exit_code] { exit_code = run_tune(*a, command_line); });
}

}  // namespace tilewright
