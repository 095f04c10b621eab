// The explanation of a call: all plans that could run it, their predicted times, which one runs,
// and why.
//
// Pure functions of the plans in the order of rank_plans(), and of which plans load.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/complex/complex_memory.hpp"
#include "runtime/plan/plan.hpp"

namespace tilewright {

// One command of a plan.
struct PlanStep {
  const char* name;  // "pack_b", "product" ...
  const KernelRecord* kernel;
  std::optional<double> ns;  // predicted time; nullopt: never measured
};

// The commands in the order in which they run.
std::vector<PlanStep> plan_steps(const GemmPlan& plan);
// "pack_b 2.1 (pack_rows) + product 8.4 (tiles) + launches 3": names, times in us, and kernels
// unless `names` is false.
std::string steps_text(const GemmPlan& plan, bool names = true);
// Predicted time of the whole plan; nullopt: its kernel was never measured.
std::optional<double> total_ns(const GemmPlan& plan);
// "predicted 8.4 us", or "never measured".
std::string predicted_text(std::optional<double> ns);
// "predicted 8.4 us", "estimated 8.4 us", or "never measured".
std::string predicted_text(const GemmPlan& plan);

// What happens to a plan.
enum class CandidateFate {
  kRuns,
  kPassedOver,  // ranked before the plan that runs, but one of its kernels does not load
  kNext,        // ranked after the plan that runs
};
const char* to_text(CandidateFate fate);

// A plan, and what happens to it.
struct PlanCandidate {
  CandidateFate fate = CandidateFate::kNext;
  GemmPlan plan;
  std::string why_not;  // kPassedOver: why it cannot be used
};

// Why the candidate has its rank.
std::string reason_text(const PlanCandidate& candidate);

// The explanation of one call.
struct Explanation {
  GemmProblem problem;  // for complex products, the real product that is one of its steps
  std::string complex;  // for complex products, how they are computed: a sentence
  std::string device;   // description of the device's limits: a sentence
  bool built = false;   // kernels were built on the device; otherwise all are assumed to build
  std::vector<PlanCandidate> candidates;  // best first; empty: no kernel can run the call
};

// Returns why a plan cannot be loaded, or nullopt if all its kernels load.
using LoadFailure = std::function<std::optional<std::string>(const GemmPlan&)>;

// Checks the plans in order, up to the first that loads: this one runs. A null `load_failure`
// assumes that all load. The profiles must outlive the explanation.
std::vector<PlanCandidate> explain_candidates(std::vector<GemmPlan> plans,
                                              const LoadFailure& load_failure);

// Returns the plans for a real product, in the order of rank_plans().
using RankPlans = std::function<std::vector<GemmPlan>(const GemmProblem&)>;

// The explanation of a call, without the device. With a null `load_failure`, nothing is built.
Explanation explain_call(const GemmProblem& problem, const RankPlans& rank,
                         const LoadFailure& load_failure,
                         std::uint64_t max_buffer_bytes = kAnyBufferBytes);

// A table of the plan that runs and why, of those that are not usable, and of the next few:
// predicted times in us, kernels. `all`: of all plans, with whole names and the reason for each
// rank.
std::string to_table(const Explanation& explanation, bool all = false);

}  // namespace tilewright
