#include "tuner/micro_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tuner/statistics.hpp"

namespace tilewright {
namespace {

constexpr int kFirstTurns = 4;
constexpr int kGrowth = 4;  // of the turns, from step to step
constexpr int kMostTurns = 1 << 28;
constexpr int kWarmRuns = 3;  // at each step, of which the shortest counts: a hiccup says nothing
constexpr double kLongEnoughNs = 1e6;
// Runs so short can do no harm, and say little.
constexpr double kShortNs = 1e5;
constexpr double kClearlySlower = 3.0;  // times the fastest
constexpr int kRounds = 15;

// A spelling on its way.
struct Runner {
  MultiplyAdd spelling;
  double ns = 0.0;      // of the latest step
  bool running = true;  // neither left behind nor failed
  SpellingTimes times;
};

// One step: all that are running run for so many turns. Returns the least time.
double run_step(std::vector<Runner>& runners, const TimeSpelling& time, int turns, bool first) {
  double best = std::numeric_limits<double>::infinity();
  for (Runner& runner : runners) {
    if (!runner.running) continue;
    // The first launch compiles on some drivers.
    if (first) runner.running = time(runner.spelling, turns).has_value();
    runner.ns = std::numeric_limits<double>::infinity();
    for (int i = 0; runner.running && i < kWarmRuns; ++i) {
      const std::optional<double> ns = time(runner.spelling, turns);
      runner.running = ns.has_value();
      runner.ns = std::min(runner.ns, ns.value_or(runner.ns));
      if (runner.ns > kLongEnoughNs) break;
    }
    if (runner.running) best = std::min(best, runner.ns);
  }
  return best;
}

void leave_behind(std::vector<Runner>& runners, double best_ns, double flops) {
  for (Runner& runner : runners) {
    if (!runner.running || runner.ns < kShortNs || runner.ns < kClearlySlower * best_ns) continue;
    runner.running = false;
    runner.times.ns_per_flop = {runner.ns / flops};
  }
}

void run_rounds(std::vector<Runner>& runners, const TimeSpelling& time, int turns, double flops) {
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      Runner& runner = runners[(round + i) % runners.size()];
      if (!runner.running) continue;
      const std::optional<double> ns = time(runner.spelling, turns);
      runner.running = ns.has_value();
      if (ns) runner.times.ns_per_flop.push_back(*ns / flops);
    }
  }
}

// The spellings that ran in all rounds, with times in shares of their round's: what a round's
// spellings have in common is the machine's pace at that moment.
std::vector<SpellingTimes> relative_to_rounds(const std::vector<SpellingTimes>& times) {
  std::size_t rounds = 0;
  for (const SpellingTimes& one : times) rounds = std::max(rounds, one.ns_per_flop.size());
  std::vector<SpellingTimes> contenders;
  for (const SpellingTimes& one : times) {
    if (one.ns_per_flop.size() == rounds) contenders.push_back(one);
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    double sum = 0.0;
    for (const SpellingTimes& one : contenders) sum += one.ns_per_flop[round];
    for (SpellingTimes& one : contenders) one.ns_per_flop[round] /= sum;
  }
  return contenders;
}

double median_gflops(const SpellingTimes& times) {
  return 1.0 / quantile(times.ns_per_flop, 0.5);
}

}  // namespace

ParameterPoint spelled(ParameterPoint point, const Spellings& spellings) {
  const auto best = [&](int width) {
    const auto found = spellings.find(width);
    return found == spellings.end() ? MultiplyAdd::kExpression : found->second;
  };
  if (auto* gemm = std::get_if<GemmPoint>(&point); gemm != nullptr && gemm->inner != Inner::kDot) {
    gemm->multiply_add = best(gemm->vector_width);
  }
  if (auto* gemv = std::get_if<GemvPoint>(&point)) gemv->multiply_add = best(gemv->vector_width);
  return point;
}

MultiplyAdd best_spelling(const std::vector<SpellingTimes>& times) {
  const std::vector<SpellingTimes> contenders = relative_to_rounds(times);
  if (contenders.empty()) return MultiplyAdd::kExpression;
  const auto median = [](const SpellingTimes& t) { return quantile(t.ns_per_flop, 0.5); };
  const SpellingTimes& fastest = *std::min_element(
      contenders.begin(), contenders.end(),
      [&](const auto& one, const auto& other) { return median(one) < median(other); });
  MultiplyAdd best = fastest.spelling;
  for (const SpellingTimes& other : contenders) {
    if (is_tie(other.ns_per_flop, fastest.ns_per_flop)) best = std::min(best, other.spelling);
  }
  return best;
}

std::vector<SpellingTimes> time_spellings(const TimeSpelling& time, double flops_per_turn) {
  std::vector<Runner> runners;
  for (const MultiplyAdd spelling : kMultiplyAdds) {
    runners.push_back({spelling, 0.0, true, {spelling, {}}});
  }
  int turns = kFirstTurns;
  double best_ns = run_step(runners, time, turns, true);
  leave_behind(runners, best_ns, turns * flops_per_turn);
  while (best_ns < kLongEnoughNs && turns < kMostTurns) {
    turns *= kGrowth;
    best_ns = run_step(runners, time, turns, false);
    leave_behind(runners, best_ns, turns * flops_per_turn);
  }
  run_rounds(runners, time, turns, turns * flops_per_turn);
  std::vector<SpellingTimes> result;
  for (Runner& runner : runners) {
    if (!runner.times.ns_per_flop.empty()) result.push_back(std::move(runner.times));
  }
  return result;
}

Spellings spellings_of(const std::vector<WidthResult>& results) {
  Spellings spellings;
  for (const WidthResult& result : results) spellings[result.vector_width] = result.best;
  return spellings;
}

double peak_gflops(const std::vector<WidthResult>& results) {
  double most = 0.0;
  for (const WidthResult& result : results) {
    for (const SpellingTimes& times : result.times) most = std::max(most, median_gflops(times));
  }
  return most;
}

std::string summary_of(const std::vector<WidthResult>& results) {
  std::vector<std::string> choices;
  for (const WidthResult& result : results) {
    choices.push_back(fmt::format("{} {}", result.vector_width, to_text(result.best)));
  }
  return fmt::format("multiply-adds by vector width: {}; up to {:.4g} GFLOPS",
                     fmt::join(choices, ", "), peak_gflops(results));
}

}  // namespace tilewright
