#include "tuner/select/selection.hpp"

#include <algorithm>
#include <tuple>

#include "tuner/journal/records/slow_down.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/select/lineup.hpp"

namespace tilewright {
namespace {

// Returns a line-up of the best candidates that a search has measured so far.
Lineup make_search_lineup(const JournalContents& contents, const AuxiliaryCost& auxiliary) {
  Lineup lineup;
  const std::vector<GemmShape>& shapes = contents.header.shapes;
  const std::set<KernelId> failed = failed_later(contents.outcomes);
  for (const Outcome* outcome : promising_outcomes(contents.outcomes)) {
    if (failed.contains(outcome->kernel)) continue;
    for (const Op op : contents.header.ops)
      add_plan(lineup, outcome->kernel, op, shapes, auxiliary);
  }
  for (const Op op : contents.header.ops) {
    for (const KernelId& baseline : working_built_in(contents.outcomes)) {
      const auto plan = add_plan(lineup, baseline, op, shapes, auxiliary);
      if (plan) add_baseline(lineup, *plan);
    }
  }
  return lineup;
}

// Returns the times from the search for finalists on a shape. All of them count as survivors.
std::map<std::size_t, Estimate> searched(const JournalContents& contents, const Lineup& lineup,
                                         const GemmShape& shape) {
  std::map<KernelId, const ShapeSamples*> by_kernel;
  for (const Outcome& outcome : contents.outcomes) {
    const ShapeSamples* samples = samples_on(outcome, shape);
    const bool measured = samples != nullptr && !samples->ns.empty();
    if (outcome.result == OutcomeClass::kOk && measured) by_kernel.emplace(outcome.kernel, samples);
  }
  std::map<std::size_t, Estimate> result;
  for (std::size_t i = 0; i < lineup.finalists.size(); ++i) {
    const auto found = by_kernel.find(lineup.finalists[i]);
    if (found == by_kernel.end()) continue;
    const std::vector<double> ns = corrected_ns(*found->second);
    result[i] = {ns, quantile(ns, 0.5), {}, true};
  }
  return result;
}

// Returns the times of finalists on a shape: from the finals if these reached it, otherwise from
// the search.
std::map<std::size_t, Estimate> estimate_finalists(const JournalContents& contents,
                                                   const Lineup& lineup, bool finals,
                                                   const GemmShape& shape) {
  if (!finals) return searched(contents, lineup, shape);
  auto known = estimates(contents.rounds, shape, contents.finalist_failures);
  if (known.empty()) known = searched(contents, lineup, shape);
  for (const auto& [finalist, reason] : contents.finalist_failures) known.erase(finalist);
  return known;
}

// Sort key for plans that take the same time; the smallest one is preferred.
auto preference(const Standings& standings, std::size_t problem, std::size_t plan) {
  const PlanTime& time = *standings.times[problem][plan];
  const bool starting = standings.is_starting(plan);
  return std::tuple(!standings.is_baseline(plan), time.auxiliary.kernels(), !starting,
                    starting ? time.total_ns() : 0.0, standings.kernel(plan).point());
}

}  // namespace

AuxiliaryCost make_auxiliary_cost(const JournalContents& contents) {
  return {contents.packs, contents.rates.value_or(DeviceRates{}), contents.header.b_prepacked,
          contents.header.device.identity.compute_units};
}

std::optional<std::size_t> fastest_plan(const TimesOfPlans& times) {
  std::optional<std::size_t> best;
  const auto key = [&](std::size_t plan) {
    return std::pair(!times[plan]->survives, times[plan]->total_ns());
  };
  for (std::size_t plan = 0; plan < times.size(); ++plan) {
    if (times[plan] && (!best || key(plan) < key(*best))) best = plan;
  }
  return best;
}

TimesOfPlans plan_times(const Lineup& lineup, Op op, const GemmShape& shape,
                        const AuxiliaryCost& auxiliary,
                        const std::map<std::size_t, Estimate>& known) {
  TimesOfPlans times(lineup.plans.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto& [of_op, finalist] = lineup.plans[i];
    const auto found = known.find(finalist);
    if (of_op != op || found == known.end()) continue;
    const Estimate& estimate = found->second;
    const auto cost = auxiliary.find(lineup.finalists[finalist], op, shape);
    if (!cost) continue;
    times[i] = PlanTime{estimate.samples_ns, {estimate.ns, 0.0}, *cost, estimate.survives};
  }
  const std::optional<std::size_t> fastest = fastest_plan(times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!times[i]) continue;
    const PlanTime& best = *times[*fastest];
    KnownTime& own = times[i]->kernel_ns;
    own.uncertainty = uncertainty_ns(known.at(lineup.plans[i].finalist),
                                     known.at(lineup.plans[*fastest].finalist));
    // A plan that dropped out was in the worse half: its few blocks must not rank it before the
    // winner.
    if (!times[i]->survives && best.survives) {
      own.value =
          std::max(own.value, (1.0 + kWidestTie) * best.total_ns() - times[i]->auxiliary.ns);
    }
  }
  return times;
}

bool Standings::is_baseline(std::size_t plan) const {
  return std::count(lineup.baselines.begin(), lineup.baselines.end(), plan) > 0;
}

int Standings::auxiliaries(std::size_t plan) const {
  int most = 0;
  for (const auto& of_problem : times) {
    if (of_problem[plan]) most = std::max(most, of_problem[plan]->auxiliary.kernels());
  }
  return most;
}

Standings standings(const JournalContents& contents) {
  Standings result;
  const AuxiliaryCost auxiliary = make_auxiliary_cost(contents);
  const bool finals = contents.lineup && !contents.rounds.empty();
  result.lineup = finals ? *contents.lineup : make_search_lineup(contents, auxiliary);
  add_other_ops(result.lineup, contents.header.ops, contents.header.shapes, auxiliary);
  const std::vector<KernelId> built_in = working_built_in(contents.outcomes);
  result.built_in = {built_in.begin(), built_in.end()};
  for (const Op op : contents.header.ops) {
    result.starting.merge(starting_kernels(op, contents.header.device,
                                           contents.rates.value_or(DeviceRates{}),
                                           contents.header.precision));
    for (const GemmShape& shape : contents.header.shapes) {
      const auto known = estimate_finalists(contents, result.lineup, finals, shape);
      result.problems.push_back({op, shape});
      result.times.push_back(plan_times(result.lineup, op, shape, auxiliary, known));
    }
  }
  return result;
}

bool can_choose(const JournalContents& contents) {
  const Standings all = standings(contents);
  for (std::size_t problem = 0; problem < all.problems.size(); ++problem) {
    if (winner(all, problem)) return true;
  }
  return false;
}

bool is_tie(const PlanTime& a, const PlanTime& b) {
  return is_tie(a.total(), b.total());
}

bool is_as_good(const Standings& standings, std::size_t plan, const PlanTime& time,
                const PlanTime& best) {
  if (!time.survives) return false;
  const bool is_known = standings.is_baseline(plan) || standings.is_starting(plan);
  return is_tie(time, best) ||
         (is_known && time.total_ns() <= (1.0 + kWidestTie) * best.total_ns());
}

std::optional<std::size_t> winner(const Standings& standings, std::size_t problem) {
  const auto& times = standings.times[problem];
  const std::optional<std::size_t> best = standings.fastest(problem);
  if (!best) return std::nullopt;
  std::size_t first = *best;
  for (std::size_t plan = 0; plan < times.size(); ++plan) {
    if (times[plan] && is_as_good(standings, plan, *times[plan], *times[*best]) &&
        preference(standings, problem, plan) < preference(standings, problem, first)) {
      first = plan;
    }
  }
  return first;
}

}  // namespace tilewright
