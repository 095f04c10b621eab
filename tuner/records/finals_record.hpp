// What do the finals measure, and what is kept of it?
//
// Finalists are kernels for products, timed one by one. What runs beside them is not: its times are
// those of packs apart, as they are in a profile.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/call/gemm_problem.hpp"
#include "tuner/records/outcome.hpp"

namespace tilewright {

// A finalist (by index) for one op.
struct FinalPlan {
  Op op = Op::kNN;
  std::size_t finalist = 0;
  bool operator==(const FinalPlan&) const = default;
};

// The line-up of a final over all shapes.
struct Lineup {
  std::vector<KernelId> finalists;
  std::vector<FinalPlan> plans;
  std::vector<std::size_t> baselines;  // of plans: what would be served without this tuning
  bool operator==(const Lineup&) const = default;
};

// One sample of each finalist that is still in on one shape, in random order. ns: by index of
// finalists. What cannot run is not there. The clock beside the samples, where it can be read, and
// the samples across which it changed, which do not count, are there by finalist, too.
struct Round {
  int block = 0;  // the worker process: pages and addresses lie otherwise in each
  int round = 0;
  GemmShape shape;
  std::map<std::size_t, double> ns;
  std::map<std::size_t, ClockPair> clocks_hz = {};
  std::map<std::size_t, std::vector<double>> rejected_ns = {};
  // In merged journals; in no file:
  int journal = 0;    // which one it is of: blocks are numbered in each
  bool even = false;  // slow-downs are taken out already
  bool operator==(const Round&) const = default;
};

// Of a block: the median of five outlives two that something short has spoilt. More tell more of
// the same process (of 62 finalists a sample is 1.9 % off, a process 0.8 %; PoCL 3.1 on two cores,
// 2026-11-22), and fewer are hardly worth loading all kernels again.
inline constexpr int kRoundsOfBlock = 5;

}  // namespace tilewright
