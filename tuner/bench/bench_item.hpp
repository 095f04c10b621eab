// Measures the items of a benchmark alternately, in random order.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tuner/bench/bench_report.hpp"
#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {

// A rate that even a slow machine exceeds. The time limits of the supervisor are derived from it.
inline constexpr double kSlowFlopsPerSecond = 1e9;

// One of the alternately measured items.
struct BenchItem {
  BenchFigure figure;             // without samples
  std::string what;               // name in the message if the process crashes in this item
  Calls time_runs;                // runs that many calls and returns their wall time in seconds
  std::function<void()> warm_up;  // one call that is not timed
  // Called before and after the first call. The check throws WrongResult if the result is wrong.
  std::function<void()> prepare = {};
  std::function<void()> check = {};
  // What the first call does: kBuild if it compiles kernels.
  WorkerActivityKind first = WorkerActivityKind::kLaunch;
  pid_t process = 0;        // the process that computes; 0: this one
  std::string kernel = {};  // WorkerActivity::kernel of its announcements
};

// Calls each item that has a check once. Then calls all items alternately, in random order, for
// `seconds`. Before each sample it waits until the threads of all items are idle (idle_wait.hpp)
// and makes a warm-up call. Returns the figures with their samples, in the order of the items, and
// adds to `waits`. `announce` is called before each activity that may crash the process.
std::vector<BenchFigure> measure_in_turns(const std::vector<BenchItem>& items, double seconds,
                                          std::mt19937_64& random, const Announce& announce,
                                          IdleWaits& waits);

}  // namespace tilewright
