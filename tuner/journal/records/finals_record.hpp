// Defines what is recorded about the finals and the validation, in addition to outcomes.
//
// Finalists are product kernels, each timed alone. Auxiliary kernels (packing, reduction) are not
// timed in the finals; their times are the separately measured ones, as in a profile.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/call/gemm_shape.hpp"
#include "tuner/journal/records/outcome.hpp"

namespace tilewright {

// The participants of a final, for all ops and shapes, and their outcomes.
struct Finalists {
  std::vector<KernelId> kernels;
  // Those of them that an application would use without this tuning.
  std::vector<KernelId> baselines;
  // The next two are not in the line of the finalists: its time, and outcomes of later lines.
  double at_s = 0.0;
  std::vector<Outcome> outcomes = {};  // kFinals
  bool operator==(const Finalists&) const = default;
};

// A random product, measured with several plans of a profile alternately. Plans are compared with
// plans, and calls of the library, which also check arguments and look up the plan, with calls.
struct ValidatedProduct {
  Op op = Op::kNN;
  GemmShape shape;
  bool held_out = false;  // it takes no part in models and in the choice of kernels
  // The outcomes of the product kernels of the plans, the first of which runs. A sample is the time
  // from the first to the last command of the plan in one round. Empty if that plan could not be
  // measured.
  std::vector<Outcome> plans;
  double call_ns = 0.0;      // the library's call with the profile, 10th percentile
  double built_in_ns = 0.0;  // the same with the built-in kernels alone; 0: not measured
  // Upper bound of built_in_ns relative to call_ns (max_ratio()); 0: unknown.
  double max_times_call = 0.0;
  double launch_ns = 0.0;  // an empty kernel and the wait for it, 10th percentile
  // The path of the profile that the device uses without the tuning; empty if there is none.
  std::string other_profile = {};
  double other_ns = 0.0;     // the library's call with it, 10th percentile; 0: not measured
  std::string failure = {};  // why there are no plans; "" if there are
  bool operator==(const ValidatedProduct&) const = default;

  bool is_measured() const { return !plans.empty(); }
  // Of measured products: whether they take part in models and in the choice of kernels.
  bool counts() const { return is_measured() && !held_out; }
  bool is_held_out() const { return is_measured() && held_out; }
};

// Rounds per block. The median of five rounds tolerates two that a short disturbance spoilt. More
// rounds would only improve what is known about the same process (with 62 finalists a sample
// deviates by 1.9 % and a process by 0.8 %; PoCL 3.1 on two cores, 2026-11-22). Fewer are not worth
// the time to load all kernels again.
inline constexpr int kRoundsOfBlock = 5;

}  // namespace tilewright
