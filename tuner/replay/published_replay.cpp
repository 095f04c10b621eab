#include "tuner/replay/published_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tuner/records/statistics.hpp"
#include "tuner/records/tuning_json.hpp"

namespace tilewright {
namespace {

constexpr int kRandomRuns = 1000;
constexpr int kMoments = 500;
constexpr double kBeginShare = 0.01;
constexpr double kEndShare = 0.95;
constexpr int kResamples = 100;
// Of the way from the median to the optimum. Random search has 5 % left at the end, but on spaces
// of a few points its last step may lead to the optimum, or to rounding errors beside it.
constexpr double kLeastLeft = 1e-3;

// Not std::shuffle: standard libraries differ, and a seed must mean one result.
void shuffle(Trace& trace, std::mt19937_64& random) {
  for (std::size_t left = trace.size(); left > 1; --left) {
    std::swap(trace[left - 1], trace[static_cast<std::size_t>(random() % left)]);
  }
}

// Points without the later rows of those that stand there twice, in order.
Trace numbers_of(const PublishedSpace& space) {
  Trace numbers;
  space.for_each([&](const PublishedPoint& point) {
    numbers.push_back(space.number_of(point));
    return true;
  });
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void add_run(std::vector<StrategyTraces>& all, const std::string& line, std::size_t points_in_all) {
  const nlohmann::json json = parse_line(line);
  const auto strategy = json.at("optimiser").get<std::string>();
  const auto points = json.at("points").get<Trace>();
  for (const std::size_t point : points) {
    if (point >= points_in_all) {
      throw JsonError(fmt::format("points: {} is more than the space has", point));
    }
  }
  auto traces = std::find_if(all.begin(), all.end(),
                             [&](const StrategyTraces& t) { return t.strategy == strategy; });
  if (traces == all.end()) traces = all.insert(all.end(), {strategy, {}});
  traces->runs.push_back(points);
}

}  // namespace

std::vector<StrategyTraces> read_traces(const std::string& text, const PublishedSpace& space) {
  std::vector<StrategyTraces> all;
  std::istringstream lines(text);
  std::size_t number = 0;
  const auto refuse = [&](const std::exception& error) {
    throw JsonError(fmt::format("line {}: {}", number, error.what()));
  };
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      add_run(all, line, space.outcomes().size());
    } catch (const nlohmann::json::exception& error) {
      refuse(error);
    } catch (const JsonError& error) {
      refuse(error);
    }
  }
  return all;
}

PublishedBenchmark::PublishedBenchmark(const PublishedSpace& space) : space_(space) {
  const Trace numbers = numbers_of(space);
  rank(numbers);
  simulate_random_search(numbers);
  // Scores divide by what random search has left, and count over the time until the budget is
  // spent.
  if (!(budget_s() > 0.0) || !std::isfinite(budget_s())) {
    throw JsonError("its points tell no time that trying them took");
  }
  const double left = *std::min_element(random_.begin(), random_.end()) - times_.front();
  if (!(left > kLeastLeft * (time_at(unfound()) - times_.front()))) {
    throw JsonError("random search finds the optimum within the budget: too few points");
  }
}

void PublishedBenchmark::rank(const Trace& numbers) {
  const std::vector<PublishedOutcome>& outcomes = space_.outcomes();
  for (const std::size_t number : numbers) {
    if (outcomes[number].time) times_.push_back(*outcomes[number].time);
  }
  if (times_.size() < 2) throw JsonError("fewer than two points work");
  std::sort(times_.begin(), times_.end());
  if (time_at(unfound()) <= times_.front()) throw JsonError("half of the points are the fastest");
  ranks_.assign(outcomes.size(), 0.0);
  for (const std::size_t number : numbers) {
    if (!outcomes[number].time) continue;
    const auto at = std::lower_bound(times_.begin(), times_.end(), *outcomes[number].time);
    ranks_[number] = static_cast<double>(at - times_.begin() + 1);
  }
}

void PublishedBenchmark::simulate_random_search(Trace order) {
  std::vector<Trace> runs;
  std::mt19937_64 random(1);
  for (int run = 0; run < kRandomRuns; ++run) {
    shuffle(order, random);
    runs.push_back(order);
  }
  const std::vector<Step> mean = curve(runs);
  const double begin_s = when_below(mean, kBeginShare);
  const double end_s = when_below(mean, kEndShare);
  for (int i = 0; i < kMoments; ++i) {
    moments_.push_back(begin_s + (end_s - begin_s) * i / (kMoments - 1));
  }
  random_ = times_over(mean);
}

Trace PublishedBenchmark::run(StrategyKind kind, std::uint64_t seed) const {
  StrategySetup<PublishedPoint> setup;
  setup.kind = kind;
  setup.seed = seed;
  const auto strategy = make_strategy(space_, setup);
  Trace trace;
  for (double spent_s = 0.0; spent_s < budget_s();) {
    const auto point = strategy->next();
    if (!point) break;
    trace.push_back(space_.number_of(*point));
    const PublishedOutcome& outcome = space_.outcomes()[trace.back()];
    spent_s += outcome.took_s;
    strategy->report(*point, outcome.time ? std::optional(std::log(*outcome.time)) : std::nullopt);
  }
  return trace;
}

std::vector<PublishedBenchmark::Step> PublishedBenchmark::curve(
    const std::vector<Trace>& runs) const {
  std::vector<Step> steps;  // with the change of the mean
  for (const Trace& run : runs) {
    double at_s = 0.0;
    double rank = 0.0;  // none yet
    for (const std::size_t point : run) {
      at_s += space_.outcomes()[point].took_s;
      const double found = ranks_[point];
      if (found == 0.0 || (rank > 0.0 && found >= rank)) continue;
      const double before = rank > 0.0 ? rank : unfound();
      steps.push_back({at_s, (found - before) / static_cast<double>(runs.size())});
      rank = found;
    }
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.at_s < b.at_s; });
  double mean = unfound();
  for (Step& step : steps) step.rank = mean += step.rank;
  return steps;
}

// Between two ranks in proportion.
double PublishedBenchmark::time_at(double rank) const {
  const double place = std::clamp(rank - 1.0, 0.0, static_cast<double>(times_.size() - 1));
  const auto below = std::min(static_cast<std::size_t>(place), times_.size() - 2);
  const double part = place - static_cast<double>(below);
  return times_[below] + part * (times_[below + 1] - times_[below]);
}

// When a curve has gone this share of the way from the median to the optimum.
double PublishedBenchmark::when_below(const std::vector<Step>& curve, double share) const {
  const double target = times_.front() + (time_at(unfound()) - times_.front()) * (1.0 - share);
  for (const Step& step : curve) {
    if (time_at(step.rank) <= target) return step.at_s;
  }
  return curve.back().at_s;
}

std::vector<double> PublishedBenchmark::times_over(const std::vector<Step>& curve) const {
  std::vector<double> times;
  double rank = unfound();
  auto step = curve.begin();
  for (const double moment : moments_) {
    for (; step != curve.end() && step->at_s <= moment; ++step) rank = step->rank;
    times.push_back(time_at(rank));
  }
  return times;
}

double PublishedBenchmark::score(const std::vector<Trace>& runs) const {
  const std::vector<double> times = times_over(curve(runs));
  double sum = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    sum += (random_[i] - times[i]) / (random_[i] - times_.front());
  }
  return sum / static_cast<double>(times.size());
}

std::pair<double, double> PublishedBenchmark::score_interval(const std::vector<Trace>& runs) const {
  std::mt19937_64 random(1);
  std::vector<double> scores;
  for (int i = 0; i < kResamples; ++i) {
    std::vector<Trace> drawn;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      drawn.push_back(runs[static_cast<std::size_t>(random() % runs.size())]);
    }
    scores.push_back(score(drawn));
  }
  const Summary summary = summarize(scores);
  return {summary.low, summary.high};
}

}  // namespace tilewright
