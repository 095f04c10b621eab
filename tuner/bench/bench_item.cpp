#include "tuner/bench/bench_item.hpp"

#include <algorithm>

namespace tilewright {
namespace {

// Returns the seconds of the call.
double call_first(const BenchItem& item, const Announce& announce) {
  announce({item.first, item.what, item.figure.work / kSlowFlopsPerSecond});
  item.prepare();
  const double seconds = item.time_runs(1);
  item.check();
  return seconds;
}

Calls announced(const BenchItem& item, double first_s, const Announce& announce) {
  return [calls = item.time_runs, what = item.what, call_s = first_s, announce](int count) mutable {
    announce({WorkerActivityKind::kLaunch, what, count * call_s});
    const double seconds = calls(count);
    call_s = seconds / count;
    return seconds;
  };
}

}  // namespace

std::vector<BenchFigure> measure_in_turns(const std::vector<BenchItem>& items, double seconds,
                                          std::mt19937_64& random, const Announce& announce) {
  const bool changes_hands = std::any_of(items.begin(), items.end(),
                                         [](const BenchItem& item) { return item.is_foreign; });
  std::vector<Calls> all;
  for (const BenchItem& item : items) {
    Calls calls = announced(item, item.check ? call_first(item, announce) : 0.0, announce);
    all.push_back(changes_hands ? after_one_call(std::move(calls)) : std::move(calls));
  }
  const auto samples = take_turns(all, seconds, random);
  std::vector<BenchFigure> figures;
  for (std::size_t i = 0; i < items.size(); ++i) {
    figures.push_back(items[i].figure);
    for (const double sample_s : samples[i]) figures.back().samples_ns.push_back(1e9 * sample_s);
  }
  return figures;
}

}  // namespace tilewright
