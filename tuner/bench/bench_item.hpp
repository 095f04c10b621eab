// One of the things that take turns in a benchmark, and how they do.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tuner/bench/bench_report.hpp"
#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {

// Of a machine that is slow beyond doubt: the supervisor is to be patient.
inline constexpr double kSlowFlopsPerSecond = 1e9;

struct BenchItem {
  BenchFigure figure;  // still without samples
  std::string what;    // named where the process dies of it
  Calls time_runs;
  // Before the first call, and after it. The check throws Error if the result is wrong.
  std::function<void()> prepare = {};
  std::function<void()> check = {};
  // Of the first call: kBuild where it compiles.
  WorkerActivityKind first = WorkerActivityKind::kLaunch;
  bool is_foreign = false;  // the device changes hands between it and the others
};

// Calls each item that has a check once, which is also its warm-up, and then all in turns for so
// many seconds. Returns their figures with samples, in the same order. `announce` is called before
// everything that the process may die of.
std::vector<BenchFigure> measure_in_turns(const std::vector<BenchItem>& items, double seconds,
                                          std::mt19937_64& random, const Announce& announce);

}  // namespace tilewright
