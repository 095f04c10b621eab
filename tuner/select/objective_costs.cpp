#include "tuner/select/objective_costs.hpp"

#include "runtime/plan/objective_factors.hpp"
#include "tuner/journal/energy_rounds.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

// Calls `visit` with each plan that has a time, its shape and its finalist.
template <class Visit>
void for_each_time(Standings& standings, const Visit& visit) {
  for (std::size_t problem = 0; problem < standings.problems.size(); ++problem) {
    for (std::size_t plan = 0; plan < standings.lineup.plans.size(); ++plan) {
      if (auto& time = standings.times[problem][plan]) {
        visit(*time, standings.problems[problem].shape, standings.lineup.plans[plan].finalist);
      }
    }
  }
}

}  // namespace

KnownTime PlanTime::cost() const {
  double uncertainty_ns = kernel_ns.uncertainty;
  if (!samples_j.empty()) {
    uncertainty_ns += kernel_ns.value * median_uncertainty(samples_j) / summarize(samples_j).median;
  }
  return {cost_ns(), objective_factor * uncertainty_ns};
}

void weigh_by_objective(const JournalContents& contents, Standings& standings) {
  const Objective objective = contents.header.objective;
  if (objective == Objective::kTime || contents.energy_rounds.empty()) return;
  Profile measured;  // kernel i is finalist i
  measured.provenance.objective = objective;
  for (const KernelId& finalist : standings.lineup.finalists) {
    measured.kernels.push_back(finalist.facts());
    measured.kernels.back().built_in = standings.built_in.contains(finalist);
  }
  for_each_time(standings, [&](PlanTime& time, const GemmShape& shape, std::size_t finalist) {
    const auto joules = joules_on(contents, shape);
    const auto samples = joules.find(finalist);
    if (samples == joules.end()) return;
    time.samples_j = samples->second;
    time.survives = true;
    ShapeResult& result = measured.results.emplace_back();
    result.m = shape.m;
    result.n = shape.n;
    result.k = shape.k;
    result.kernel = measured.kernels[finalist].name;
    result.median_ns = time.kernel_ns.value;
    result.joules = summarize(samples->second).median;
  });
  const ObjectiveFactors factors(measured);
  for_each_time(standings, [&](PlanTime& time, const GemmShape& shape, std::size_t finalist) {
    time.objective_factor = factors.factor(measured.kernels[finalist], shape).value;
  });
}

}  // namespace tilewright
