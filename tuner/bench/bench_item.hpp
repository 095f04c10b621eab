// Measures the items of a benchmark in turns.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tuner/bench/bench_report.hpp"
#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {

// A rate that even a slow machine exceeds. The supervisor's patience is derived from it.
inline constexpr double kSlowFlopsPerSecond = 1e9;

// One of the things that take turns.
struct BenchItem {
  BenchFigure figure;             // without samples
  std::string what;               // its name in the message if the process dies of it
  Calls time_runs;                // wall time of so many calls, in seconds
  std::function<void()> warm_up;  // one call that is not timed
  // Before and after the first call. The check throws Error if the result is wrong.
  std::function<void()> prepare = {};
  std::function<void()> check = {};
  // What the first call does: kBuild where it compiles.
  WorkerActivityKind first = WorkerActivityKind::kLaunch;
  pid_t process = 0;  // that computes; 0: this one
};

// Calls each item that has a check once, and then all in turns, in random order, for so many
// seconds. Before each sample it waits until the threads of all items are idle (idle_wait.hpp), and
// warms the item up. Returns the figures with their samples, in the same order, and adds to
// `waits`. `announce` is called before everything that the process may die of.
std::vector<BenchFigure> measure_in_turns(const std::vector<BenchItem>& items, double seconds,
                                          std::mt19937_64& random, const Announce& announce,
                                          IdleWaits& waits);

}  // namespace tilewright
