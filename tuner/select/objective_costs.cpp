#include "tuner/select/objective_costs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tuner/journal/records/statistics.hpp"

namespace tilewright {
namespace {

// Returns the samples in joules on a shape, by finalist.
std::map<std::size_t, std::vector<double>> joules_on(const JournalContents& contents,
                                                     const GemmShape& shape) {
  std::map<std::size_t, std::vector<double>> samples;
  for (const Round& round : contents.energy_rounds) {
    if (round.shape != shape) continue;
    for (const auto& [finalist, joules] : round.joules) samples[finalist].push_back(joules);
  }
  return samples;
}

double power(const PlanTime& time) {
  return time.joules / time.kernel_ns.value;
}

// Sets the energy of the plans on one problem, and their factors relative to the fastest of them.
void weigh(Objective objective, const std::map<std::size_t, std::vector<double>>& joules,
           const Lineup& lineup, TimesOfPlans& times) {
  TimesOfPlans metered(times.size());
  for (std::size_t plan = 0; plan < times.size(); ++plan) {
    const auto found = joules.find(lineup.plans[plan].finalist);
    if (!times[plan] || found == joules.end()) continue;
    times[plan]->joules = quantile(found->second, 0.5);
    times[plan]->joules_uncertainty = median_uncertainty(found->second) / times[plan]->joules;
    metered[plan] = times[plan];
  }
  const std::optional<std::size_t> fastest = fastest_plan(metered);
  if (!fastest) return;
  for (std::size_t plan = 0; plan < times.size(); ++plan) {
    if (!metered[plan]) continue;
    const double ratio = power(*metered[plan]) / power(*metered[*fastest]);
    times[plan]->objective_factor = objective == Objective::kEnergy ? ratio : std::sqrt(ratio);
  }
}

bool is_result_of(const ShapeResult& result, const Standings& standings, std::size_t problem,
                  std::size_t plan) {
  const Standings::Problem& at = standings.problems[problem];
  return result.op == at.op && standings.lineup.plans[plan].op == at.op &&
         GemmShape{result.m, result.n, result.k} == at.shape &&
         result.kernel == standings.kernel(plan).facts().name;
}

}  // namespace

void weigh_by_objective(const JournalContents& contents, Standings& standings) {
  const Objective objective = contents.header.objective;
  if (objective == Objective::kTime || contents.energy_rounds.empty()) return;
  for (std::size_t problem = 0; problem < standings.problems.size(); ++problem) {
    weigh(objective, joules_on(contents, standings.problems[problem].shape), standings.lineup,
          standings.times[problem]);
  }
}

void remove_faster_losers(const JournalContents& contents, const Standings& standings,
                          Profile& profile) {
  if (contents.header.objective == Objective::kTime) return;
  // The standings of the kernels in the profile.
  Standings own = standings;
  for (std::size_t plan = 0; plan < own.lineup.plans.size(); ++plan) {
    if (find_kernel(profile, own.kernel(plan).facts().name) != nullptr) continue;
    for (TimesOfPlans& times : own.times) times[plan].reset();
  }
  for (std::size_t problem = 0; problem < own.problems.size(); ++problem) {
    const TimesOfPlans& times = own.times[problem];
    const std::optional<std::size_t> best = winner(own, problem);
    if (!best || times[*best]->joules == 0.0) continue;
    std::erase_if(profile.results, [&](const ShapeResult& result) {
      for (std::size_t plan = 0; plan < times.size(); ++plan) {
        if (!times[plan] || own.built_in.contains(own.kernel(plan)) ||
            !is_result_of(result, own, problem, plan)) {
          continue;
        }
        return times[plan]->cost_ns() > times[*best]->cost_ns() &&
               times[plan]->total_ns() < times[*best]->total_ns();
      }
      return false;
    });
  }
}

}  // namespace tilewright
