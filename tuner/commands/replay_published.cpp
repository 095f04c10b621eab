#include "tuner/commands/replay_published.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profiles/regular_file.hpp"
#include "tuner/records/tuning_json.hpp"
#include "tuner/replay/published_replay.hpp"
#include "tuner/terminal/say.hpp"
#include "tuner/terminal/usage_error.hpp"

namespace tilewright {
namespace {

// What `read` makes of a file's text; its errors name the file.
template <class Read>
auto read_named(const std::string& file, const Read& read) {
  try {
    return read();
  } catch (const JsonError& error) {
    throw UsageError(fmt::format("{}: {}", file, error.what()));
  }
}

std::vector<StrategyTraces> traces_of_others(const std::string& file, const PublishedSpace& space) {
  if (file.empty()) return {};
  const FileContent content = read_file(file);
  if (!content.failure.empty()) throw UsageError(fmt::format("{}: {}", file, content.failure));
  return read_named(file, [&] { return read_traces(content.bytes, space); });
}

nlohmann::ordered_json result_of(const StrategyTraces& traces,
                                 const PublishedBenchmark& benchmark) {
  const auto [low, high] = benchmark.score_interval(traces.runs);
  return {{"strategy", traces.strategy},
          {"runs", traces.runs.size()},
          {"score", benchmark.score(traces.runs)},
          {"score_low", low},
          {"score_high", high}};
}

void print_table(const nlohmann::ordered_json& json) {
  say("{} points, {} work; budget {:.0f} s\n  {:<24}{:>6}{:>9}{:>18}\n",
      json["points"].get<std::size_t>(), json["working"].get<std::size_t>(),
      json["budget_s"].get<double>(), "strategy", "runs", "score", "80 % interval");
  for (const auto& result : json["results"]) {
    say("  {:<24}{:>6}{:>9.3f}{:>9.3f} to {:>5.3f}\n", result["strategy"].get<std::string>(),
        result["runs"].get<std::size_t>(), result["score"].get<double>(),
        result["score_low"].get<double>(), result["score_high"].get<double>());
  }
}

}  // namespace

void replay_published(const PublishedRequest& request, const std::string& text) {
  const PublishedSpace space = read_named(request.file, [&] { return read_published_space(text); });
  const auto benchmark = read_named(request.file, [&] { return PublishedBenchmark(space); });
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const StrategyKind kind : request.strategies) {
    StrategyTraces ours{std::string(to_text(kind)), {}};
    for (int seed = 1; seed <= request.seeds; ++seed) {
      ours.runs.push_back(benchmark.run(kind, static_cast<std::uint64_t>(seed)));
    }
    results.push_back(result_of(ours, benchmark));
  }
  for (const StrategyTraces& others : traces_of_others(request.traces, space)) {
    results.push_back(result_of(others, benchmark));
  }
  const nlohmann::ordered_json json{{"points", space.outcomes().size()},
                                    {"working", benchmark.working()},
                                    {"budget_s", benchmark.budget_s()},
                                    {"results", std::move(results)}};
  if (request.json) {
    say_lines(pretty(json) + "\n");
  } else {
    print_table(json);
  }
}

}  // namespace tilewright
