// The explanation of a call: all plans that could run it, their predicted times, which one runs,
// and why.
//
// Pure: the plans as rank_plans() orders them, and which of them load.
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
  std::optional<double> ns;  // predicted; nullopt: never measured
};

// In the order in which they run.
std::vector<PlanStep> steps_of(const GemmPlan& plan);
// "pack_b 2.1 (pack_rows) + product 8.4 (tiles) + launches 3": names, times in us and kernels.
std::string steps_text(const GemmPlan& plan);
// End to end; nullopt: its kernel was never measured.
std::optional<double> total_ns(const GemmPlan& plan);
// "predicted 8.4 us", or "never measured".
std::string predicted_text(std::optional<double> ns);
// The same, or "guessed 8.4 us".
std::string predicted_text(const GemmPlan& plan);

enum class CandidateFate {
  kRuns,
  kPassedOver,  // ranked before the one that runs, but a kernel of it does not load
  kNext,        // ranked after the one that runs
};
const char* to_text(CandidateFate fate);

struct PlanCandidate {
  CandidateFate fate = CandidateFate::kNext;
  GemmPlan plan;
  std::string why_not;  // kPassedOver: what is wrong with it
};

// Why the candidate stands where it stands.
std::string reason_of(const PlanCandidate& candidate);

struct Explanation {
  GemmProblem problem;      // of complex numbers, the real product that it has as a step
  std::string complex;      // then, how it is one: a sentence
  std::string device;       // whose limits these are: a sentence
  bool built = false;       // kernels were built on the device; else all are taken to build
  std::size_t kernels = 0;  // of products, in the profiles
  std::vector<PlanCandidate> candidates;  // best first; none: no kernel can run the call
};

// What is wrong with a plan, or nullopt if all its kernels load.
using LoadFailure = std::function<std::optional<std::string>(const GemmPlan&)>;

// Asks plan by plan whether it loads, up to the first that does: that one runs. A null
// `load_failure` takes all to load. The profiles must outlive the explanation.
std::vector<PlanCandidate> candidates_of(std::vector<GemmPlan> plans,
                                         const LoadFailure& load_failure);

// The plans for a product of real numbers, as rank_plans() orders them.
using RankPlans = std::function<std::vector<GemmPlan>(const GemmProblem&)>;

// The explanation of a call, but for the device. A null `load_failure`: nothing is built.
Explanation explain_call(const GemmProblem& problem, const std::vector<const Profile*>& profiles,
                         const RankPlans& rank, const LoadFailure& load_failure,
                         std::uint64_t max_buffer_bytes = kAnyBufferBytes);

// For applications: the plan that runs with its reason, a line for each that was passed over, and
// one for each of the next few unless they are unmeasured built-in kernels.
std::string to_text(const Explanation& explanation);

// A table, a line for each candidate in order: predicted times in us, what runs, and why it stands
// where it stands.
std::string to_table(const Explanation& explanation);

}  // namespace tilewright
