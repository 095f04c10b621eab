// Defines what the finals measure and what is recorded about them.
//
// Finalists are product kernels, each timed alone. Auxiliary kernels (packing, reduction) are not
// timed in the finals; their times are the separately measured ones, as in a profile.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/call/gemm_shape.hpp"
#include "tuner/journal/records/outcome.hpp"

namespace tilewright {

// A finalist (by index) as a candidate for one op.
struct FinalPlan {
  Op op = Op::kNN;
  std::size_t finalist = 0;
  bool operator==(const FinalPlan&) const = default;
};

// The participants of a final, for all shapes.
struct Lineup {
  std::vector<KernelId> finalists;
  std::vector<FinalPlan> plans;
  // Indices into plans: the kernels that an application would use without this tuning.
  std::vector<std::size_t> baselines;
  bool operator==(const Lineup&) const = default;
};

// One sample of each remaining finalist on one shape, taken in random order. The maps are indexed
// by finalist; a finalist that cannot run is absent. If the clock can be read, clocks_hz has its
// frequency before and after each sample. rejected_ns has the samples during which the clock
// changed; they do not count.
struct Round {
  // Number of the worker process, since pages and addresses differ between processes.
  int block = 0;
  int round = 0;
  GemmShape shape;
  std::map<std::size_t, double> ns = {};
  std::map<std::size_t, ClockPair> clocks_hz = {};
  std::map<std::size_t, std::vector<double>> rejected_ns = {};
  // Why finalists failed. Once it is read, this is in JournalContents::finalist_failures instead.
  std::map<std::size_t, std::string> failures = {};
  // The next two members are set in merged journals only, and are not stored in any file.
  // Index of the journal that the round belongs to, because each journal numbers its own blocks.
  int journal = 0;
  bool even = false;  // true if slow-downs have been divided out already
  bool operator==(const Round&) const = default;
};

// A plan for a call, identified by its product kernel.
struct ValidatedPlan {
  KernelId kernel;
  double ns = 0.0;            // time from the first to the last command, 10th percentile
  double predicted_ns = 0.0;  // by the profile, without the launch of the product; 0: unknown
  // Upper bound of its time relative to that of the plan that runs: the end of the 95 % interval of
  // the median over rounds. 0: unknown.
  double max_times_first = 0.0;
  bool operator==(const ValidatedPlan&) const = default;
};

// A random product, measured with several plans of a profile alternately. Plans are compared with
// plans, and calls of the library, which also check arguments and look up the plan, with calls.
struct ValidatedProduct {
  Op op = Op::kNN;
  GemmShape shape;
  bool held_out = false;  // it takes no part in models and in the choice of kernels
  // The first is the one that runs. Empty if that could not be measured.
  std::vector<ValidatedPlan> plans;
  double call_ns = 0.0;      // the library's call with the profile, 10th percentile
  double built_in_ns = 0.0;  // the same with the built-in kernels alone; 0: not measured
  // Upper bound of built_in_ns relative to call_ns, as ValidatedPlan::max_times_first; 0: unknown.
  double max_times_call = 0.0;
  double launch_ns = 0.0;  // an empty kernel and the wait for it, 10th percentile
  // The path of the profile that the device uses without the tuning; empty if there is none.
  std::string other_profile = {};
  double other_ns = 0.0;     // the library's call with it, 10th percentile; 0: not measured
  std::string failure = {};  // why there are no plans; "" if there are
  bool operator==(const ValidatedProduct&) const = default;
};

// Rounds per block. The median of five rounds tolerates two that a short disturbance spoilt. More
// rounds would only improve what is known about the same process (with 62 finalists a sample
// deviates by 1.9 % and a process by 0.8 %; PoCL 3.1 on two cores, 2026-11-22). Fewer are not worth
// the time to load all kernels again.
inline constexpr int kRoundsOfBlock = 5;

}  // namespace tilewright
