#include "tuner/bench/bench_item.hpp"

namespace tilewright {
namespace {

// Returns the seconds of the call.
double call_first(const BenchItem& item, const Announce& announce) {
  announce({item.first, item.what, item.figure.work / kSlowFlopsPerSecond, item.kernel});
  item.prepare();
  const double seconds = item.time_runs(1);
  item.check();
  return seconds;
}

// Takes the samples of an item, each after an idle period and a warm-up call. `call_s`: seconds of
// one call.
Calls take_samples(const BenchItem& item, double call_s, IdleWait& idle, const Announce& announce) {
  return [&item, call_s, &idle, announce](int count) mutable {
    idle.wait();
    announce({WorkerActivityKind::kLaunch, item.what, (count + 1) * call_s, item.kernel});
    item.warm_up();
    const double seconds = item.time_runs(count);
    call_s = seconds / count;
    return seconds;
  };
}

}  // namespace

std::vector<BenchFigure> measure_in_turns(const std::vector<BenchItem>& items, double seconds,
                                          std::mt19937_64& random, const Announce& announce,
                                          IdleWaits& waits) {
  std::vector<pid_t> processes;
  for (const BenchItem& item : items) {
    if (item.process != 0) processes.push_back(item.process);
  }
  IdleWait idle(std::move(processes));
  std::vector<Calls> all;
  for (const BenchItem& item : items) {
    const double call_s = item.check ? call_first(item, announce) : 0.0;
    all.push_back(take_samples(item, call_s, idle, announce));
  }
  const auto samples = time_in_turns(all, seconds, random);
  waits.add(idle.waits());
  std::vector<BenchFigure> figures;
  for (std::size_t i = 0; i < items.size(); ++i) {
    figures.push_back(items[i].figure);
    for (const double sample_s : samples[i]) figures.back().samples_ns.push_back(1e9 * sample_s);
  }
  return figures;
}

}  // namespace tilewright
