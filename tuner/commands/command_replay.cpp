#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "profiles/atomic_file.hpp"
#include "profiles/regular_file.hpp"
#include "tuner/commands/commands.hpp"
#include "tuner/commands/replay_published.hpp"
#include "tuner/records/shapes.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/replay/replay.hpp"
#include "tuner/replay/t4_export.hpp"
#include "tuner/terminal/one_file.hpp"
#include "tuner/terminal/options.hpp"
#include "tuner/terminal/say.hpp"
#include "tuner/terminal/usage_error.hpp"

namespace tilewright {
namespace {

// A replay that passes over more of a strategy's proposals says little of the strategy.
constexpr double kManyUnrecorded = 0.2;

struct ReplayArguments {
  std::string journal;
  std::string strategies = "exhaustive,random,greedy,iterated";
  std::string budgets = "1m,2m,5m";
  int seeds = 20;
  std::string traces;
  bool json = false;
  std::vector<std::string> export_as;  // format, file
  std::vector<std::string> given;      // options that were named, but for --export
};

ReplayOptions options_of(const ReplayArguments& arguments) {
  ReplayOptions options;
  options.strategies = parse_list(arguments.strategies, [](const std::string& word) {
    const auto kind = parse_strategy(word);
    if (!kind) {
      throw UsageError(fmt::format("--strategy: '{}' is none of {}", word, strategy_words()));
    }
    return *kind;
  });
  options.budgets_s = parse_list(
      arguments.budgets, [](const std::string& word) { return parse_duration("--budget", word); });
  options.seeds = arguments.seeds;
  if (options.strategies.empty()) throw UsageError("--strategy: no strategy is named");
  if (options.budgets_s.empty()) throw UsageError("--budget: no time is named");
  return options;
}

void print_json(const JournalContents& contents, const Replay& replay, int seeds) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::array();
  for (const ReplayPhase& phase : replay.phases) {
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    for (const ReplayResult& result : phase.results) {
      results.push_back({{"strategy", to_text(result.strategy)},
                         {"budget_s", result.budget_s},
                         {"percent_of_best", result.percent.median},
                         {"percent_low", result.percent.low},
                         {"percent_high", result.percent.high},
                         {"regret_percent", 100.0 - result.percent.median},
                         {"candidates", result.candidates},
                         {"unrecorded_share", result.unrecorded}});
    }
    phases.push_back({{"phase", phase.name},
                      {"valid_points", phase.valid},
                      {"recorded", phase.recorded},
                      {"measured", phase.measured},
                      {"recorded_s", phase.recorded_s},
                      {"results", results}});
  }
  const nlohmann::ordered_json json{{"device", contents.header.device.identity.name},
                                    {"date", contents.header.date},
                                    {"seeds", seeds},
                                    {"same_space", replay.same_space},
                                    {"phases", phases}};
  say_lines(pretty(json) + "\n");
}

void print_phase(const ReplayPhase& phase) {
  say("\n{}: {} of {} points recorded, {} with times, which took {:.0f} s\n", phase.name,
      phase.recorded, phase.valid > 0.0 ? fmt::format("{:.0f}", phase.valid) : "many",
      phase.measured, phase.recorded_s);
  say("  {:<11}{:>9}{:>11}{:>17}{:>10}{:>12}{:>14}\n", "strategy", "budget", "% found",
      "10th to 90th", "regret %", "candidates", "unrecorded %");
  for (const ReplayResult& result : phase.results) {
    say("  {:<11}{:>7g} s{:>11.1f}{:>9.1f} to {:>4.1f}{:>10.1f}{:>12.0f}{:>14.0f}\n",
        to_text(result.strategy), result.budget_s, result.percent.median, result.percent.low,
        result.percent.high, 100.0 - result.percent.median, result.candidates,
        100.0 * result.unrecorded);
  }
}

void print_tables(const JournalContents& contents, const Replay& replay, int seeds) {
  say("journal of {}, {}; medians over {} seeds, of the "
      "best recorded\n",
      contents.header.device.identity.name, contents.header.date, seeds);
  for (const ReplayPhase& phase : replay.phases) print_phase(phase);
}

// What makes the figures doubtful.
void warn(const Replay& replay) {
  if (!replay.same_space) {
    say(stderr,
        "tilewright: the journal's spaces are not those of this version: points that are "
        "new are passed over\n");
  }
  for (const ReplayPhase& phase : replay.phases) {
    for (const ReplayResult& result : phase.results) {
      if (result.unrecorded <= kManyUnrecorded) continue;
      say(stderr,
          "tilewright: {}: the journal knows few of the points that searches propose; "
          "record one of every point (tune --only ... --strategy exhaustive)\n",
          phase.name);
      break;
    }
  }
}

void export_journal(const ReplayArguments& arguments) {
  const std::string& format = arguments.export_as.front();
  const std::string& file = arguments.export_as.back();
  if (format != "t4") throw UsageError(fmt::format("--export: '{}' is no format but t4", format));
  if (!arguments.given.empty()) {
    throw UsageError(
        fmt::format("{}: --export replays nothing, so it has no use", arguments.given.front()));
  }
  if (are_one_file(arguments.journal, file)) {
    throw UsageError(fmt::format("--export: {} is an input", file));
  }
  write_file_atomically(file, to_t4(read_journal(arguments.journal)));
  say_path(file);
}

void run_replay(const ReplayArguments& arguments) {
  if (!arguments.export_as.empty()) {
    export_journal(arguments);
    return;
  }
  const ReplayOptions options = options_of(arguments);
  const FileContent content = read_file(arguments.journal);
  if (looks_published(content.bytes)) {
    if (std::count(arguments.given.begin(), arguments.given.end(), "--budget") > 0) {
      throw UsageError("--budget: a published space has its own, by what random search finds");
    }
    replay_published(
        {arguments.journal, options.strategies, options.seeds, arguments.traces, arguments.json},
        content.bytes);
    return;
  }
  if (!arguments.traces.empty()) {
    throw UsageError("--traces: only a published space is compared with other tuners' runs");
  }
  const JournalContents contents = read_journal(arguments.journal);
  const Replay result = replay(contents, options);
  (arguments.json ? print_json : print_tables)(contents, result, options.seeds);
  warn(result);
}

}  // namespace

void add_replay_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("replay", "Tell what search strategies would have found in a journal");
  auto a = std::make_shared<ReplayArguments>();
  command
      ->add_option(
          "journal", a->journal,
          "journal of a tuning; or a space that others published, as T4 or Kernel Tuner's cache")
      ->required();
  command->add_option("--strategy", a->strategies, "strategies, separated by commas")
      ->capture_default_str();
  add_time_option(*command, "--budget", a->budgets, "search times of each phase, such as 90s,10m")
      ->type_name("TIME,...")
      ->capture_default_str();
  command->add_option("--seeds", a->seeds, "runs of each strategy")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  command->add_option("--traces", a->traces,
                      "other tuners' runs on the published space, JSON lines: optimiser, points");
  command->add_flag("--json", a->json, "print JSON");
  command
      ->add_option("--export", a->export_as,
                   "write the journal's candidates for other tuners' tools instead")
      ->expected(2)
      ->type_name("t4 FILE");
  command->callback([a, command] {
    for (const char* name : {"--strategy", "--budget", "--seeds", "--traces", "--json"}) {
      if (command->get_option(name)->count() > 0) a->given.emplace_back(name);
    }
    run_replay(*a);
  });
}

}  // namespace tilewright
