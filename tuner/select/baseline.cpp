#include "tuner/select/baseline.hpp"

#include <algorithm>

#include "profiles/built_in.hpp"
#include "runtime/plan/plan.hpp"
#include "tuner/search/pack_requirements.hpp"

namespace tilewright {

Baseline::Baseline(const JournalHeader& header)
    : device_(header.device),
      precision_(header.precision),
      b_prepacked_(header.b_prepacked),
      profile_(built_in_profile(header.device)),
      times_(profiles_) {}

std::vector<KernelId> Baseline::ranking(Op op, const GemmShape& shape) const {
  GemmProblem problem = dense_problem(op, shape);
  problem.precision = precision_;
  problem.b_prepacked = b_prepacked_;
  std::vector<KernelId> kernels;
  for (const GemmPlan& plan : rank_plans(profiles_, times_, device_, problem)) {
    kernels.push_back(parse_kernel(plan.kernel().point));
  }
  return kernels;
}

std::optional<KernelId> Baseline::first_that_works(const std::vector<Outcome>& outcomes, Op op,
                                                   const GemmShape& shape) const {
  for (const KernelId& kernel : ranking(op, shape)) {
    const Outcome* outcome = built_in_outcome(outcomes, kernel);
    // The library also runs kernels whose launches are too long for a tuning.
    if (outcome == nullptr || outcome->result == OutcomeClass::kSlow) return std::nullopt;
    if (outcome->result == OutcomeClass::kOk) return kernel;
  }
  return std::nullopt;
}

std::vector<KernelId> Baseline::kernels(const std::vector<Op>& ops,
                                        const std::vector<GemmShape>& shapes) const {
  constexpr std::size_t kFirst = 3;
  std::vector<KernelId> kernels;
  for (const Op op : ops) {
    for (const GemmShape& shape : shapes) {
      const std::vector<KernelId> ranked = ranking(op, shape);
      for (std::size_t i = 0; i < std::min(kFirst, ranked.size()); ++i) {
        const bool is_new = std::find(kernels.begin(), kernels.end(), ranked[i]) == kernels.end();
        if (is_new) kernels.push_back(ranked[i]);
      }
    }
  }
  return kernels;
}

std::vector<KernelId> working_built_in(const std::vector<Outcome>& outcomes) {
  std::vector<KernelId> kernels;
  for (const Outcome& outcome : outcomes) {
    if (outcome.task == kBuiltIn && outcome.result == OutcomeClass::kOk) {
      kernels.push_back(outcome.kernel);
    }
  }
  return kernels;
}

const Outcome* built_in_outcome(const std::vector<Outcome>& outcomes, const KernelId& kernel) {
  const auto found = std::find_if(outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) {
    return outcome.kernel == kernel && outcome.task == kBuiltIn;
  });
  return found == outcomes.end() ? nullptr : &*found;
}

}  // namespace tilewright
