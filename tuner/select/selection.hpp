// Selects the kernels of the profile and creates it.
//
// The input is the contents of a journal, and the output is a profile. The same code runs at the
// end of a tuning, after an interruption, and when journals are merged. These functions do not
// access a device.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/journal.hpp"
#include "tuner/journal/records/round_estimates.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/select/lineup.hpp"

namespace tilewright {

// Returns the auxiliary costs according to the journal.
AuxiliaryCost make_auxiliary_cost(const JournalContents& contents);

// The time of a plan for one op and shape: kernel, auxiliary kernels and their launches.
struct PlanTime {
  std::vector<double> samples_ns;  // of the kernel alone, corrected for slow-downs
  KnownTime kernel_ns;             // estimate from these samples
  AuxiliaryCost::Cost auxiliary;
  // True if it took part in the last block of the finals, or if there were no finals. A plan that
  // dropped out counts as slower than the best survivor, whatever its samples are.
  bool survives = true;
  // Plans are compared by this.
  double total_ns() const { return kernel_ns.value + auxiliary.ns; }
  KnownTime total() const { return {total_ns(), kernel_ns.uncertainty}; }
};

// The times of a line-up's plans on one problem; nullopt for a plan that failed or does not support
// it.
using TimesOfPlans = std::vector<std::optional<PlanTime>>;

// Returns the plan with the smallest cost, among survivors if there are any; nullopt if no
// plan has a time.
std::optional<std::size_t> fastest_plan(const TimesOfPlans& times);

// Returns the times of the plans for one op on a shape. `known` are the estimates by finalist.
// Uncertainties are relative to the fastest plan.
TimesOfPlans plan_times(const Lineup& lineup, Op op, const GemmShape& shape,
                        const AuxiliaryCost& auxiliary,
                        const std::map<std::size_t, Estimate>& known);

// The problems (op and shape) of a tuning and the times of the plans on each. Without finals, the
// line-up consists of all outcomes that are ok, and the times are those of the search. The same
// holds for shapes that the finals did not reach. Plans without their required auxiliary kernels
// are left out, because a profile could not use them.
struct Standings {
  struct Problem {
    Op op;
    GemmShape shape;
    double weight = 1.0;     // weight in the choice of a portfolio
    bool predicted = false;  // true if it was not measured
  };
  std::vector<Problem> problems;
  Lineup lineup;
  std::set<KernelId> starting;      // the kernels of starting_kernels()
  std::set<KernelId> built_in;      // those of working_built_in()
  std::vector<TimesOfPlans> times;  // [problem][plan]

  // The kernel of a plan.
  const KernelId& kernel(std::size_t plan) const {
    return lineup.finalists[lineup.plans[plan].finalist];
  }
  bool is_baseline(std::size_t plan) const;
  bool is_starting(std::size_t plan) const { return starting.count(kernel(plan)) > 0; }
  std::optional<std::size_t> fastest(std::size_t problem) const {
    return fastest_plan(times[problem]);
  }
  // Returns the number of auxiliary kernels in the problem for which the plan needs most of them.
  int auxiliaries(std::size_t plan) const;
};
// Evaluates a journal.
Standings standings(const JournalContents& contents);

// Returns true if the costs of two plans differ by no more than noise explains.
bool is_tie(const PlanTime& a, const PlanTime& b);

// Returns true if a plan with this time counts as equal to the best: if they tie, or if it is a
// baseline or a starting point (which every tuning of such a device tries) and at most 1 % slower,
// since machines vary by that much within minutes (docs/measuring.md, "Stability of the choice"). A
// plan that dropped out of the finals never counts as equal: it was in the worse half, and of many
// such plans some seem close by luck.
bool is_as_good(const Standings& standings, std::size_t plan, const PlanTime& time,
                const PlanTime& best);

// Returns the index of the winning plan on a problem; nullopt if no plan supports it. The plan with
// the smallest cost wins. Among the plans that count as equal to it, the order of preference
// is: a baseline, the plan with the fewest auxiliary kernels, the fastest starting point (so that
// tunings agree), the simplest point.
std::optional<std::size_t> winner(const Standings& standings, std::size_t problem);

// A selection of few kernels for all problems. It is a greedy set cover that maximizes the weighted
// geometric mean over problems of (cost of the best plan) / (cost of the best selected plan); 1 is
// optimal. A plan that counts as equal to the best (is_as_good()) counts as 1. A problem without a
// selected plan counts as 0.01.
struct Portfolio {
  // The plans of the selected kernels that are the best selected ones on some problem. If a kernel
  // has none and is not built in, its plan with the fewest auxiliary kernels. In the order in which
  // kernels were selected.
  std::vector<std::size_t> plans;
  double built_in = 0.0;      // that mean for the built-in kernels alone, without the rule for ties
  std::vector<double> curve;  // [i]: the same with i + 1 more kernels
};
// The built-in kernels are selected from the start, because the library has them in any case.
// Selects at most `max_kernels` other kernels (0: as many as improve the result beyond a tie);
// several plans of a kernel count once. The best general kernel (is_general()) for each op is
// always selected, so that every call is supported; only for this reason can there be more than
// `max_kernels`.
Portfolio choose_portfolio(const Standings& standings, int max_kernels);

// Returns true if there are measurements from which a profile can be created.
bool can_choose(const JournalContents& contents);

// If the profile has more kernels for plain products than `max_kernels` (0: no limit), returns a
// sentence that says so and why.
std::optional<std::string> explain_excess(const Profile& profile, int max_kernels);

// Creates the profile. It contains the selected kernels with their results on every shape on which
// they were measured, the pack kernels that they require and the plain transposition, the kernels
// for networks (the same kernels with bias and activation, separate activation and softmax
// kernels), rates, provenance, and models fitted to all of that. If `joined` is given, the result
// also has its kernels and results (join_profiles()). Throws std::runtime_error if no kernel has
// been measured yet.
Profile make_profile(const JournalContents& contents, int max_kernels,
                     const std::string& command_line,
                     const std::optional<Profile>& joined = std::nullopt);

// large_pack_requirements() returns the packings of the profile for large matrices.
// add_large_packs() adds the kernels that were found for these.
std::set<ParameterPoint> large_pack_requirements(const Profile& profile);
void add_large_packs(Profile& profile, const JournalContents& contents);

}  // namespace tilewright
