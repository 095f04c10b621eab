// Which kernels go into the profile?
//
// Pure: all that a journal holds in, a profile out. So the same code answers at the end of a
// tuning, when it is interrupted, and when shards are merged.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/journal.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/select/lineup.hpp"

namespace tilewright {

// What kernels beside products cost, by all that a journal holds of them.
AuxiliaryCost make_auxiliary_cost(const JournalContents& contents);

// What one plan costs on one (op, shape), end to end: kernel, what runs beside it, their launches.
struct PlanTime {
  std::vector<double> samples_ns;  // of the kernel alone, divided by slow-downs
  KnownTime kernel_ns;             // likewise: what they say
  AuxiliaryCost::Cost auxiliary;
  // To the last block of the finals; where there were none, all do. What left takes longer than the
  // best that survives, whatever its samples say.
  bool survives = true;
  double total_ns() const { return kernel_ns.value + auxiliary.ns; }
};

// The (op, shape) problems of the tuning and, for each, what each plan of the line-up costs;
// nullopt: it cannot serve it, or failed. Where no finals were held, the line-up is made of all
// outcomes that are ok, and times of their samples; likewise the times on a shape that the finals
// did not reach. Plans whose pack kernel is not known yet are left out: a profile could not serve
// them.
struct Standings {
  struct Problem {
    Op op;
    GemmShape shape;
    double weight = 1.0;     // in the choice of a portfolio
    bool predicted = false;  // nothing was measured on it
  };
  std::vector<Problem> problems;
  Lineup lineup;
  std::set<KernelId> starting;                              // starting_kernels()
  std::vector<std::vector<std::optional<PlanTime>>> times;  // [problem][plan]

  const KernelId& kernel(std::size_t plan) const {
    return lineup.finalists[lineup.plans[plan].finalist];
  }
  bool is_baseline(std::size_t plan) const;
  bool is_starting(std::size_t plan) const { return starting.count(kernel(plan)) > 0; }
  // The plan of the least total on a problem, of those that survive if there are such; nullopt:
  // none can.
  std::optional<std::size_t> fastest(std::size_t problem) const;
  // Kernels beside the product, where it needs most.
  int auxiliaries(std::size_t plan) const;
};
Standings standings(const JournalContents& contents);

// Do two plans take the same time, end to end, as far as noise tells?
bool is_tie(const PlanTime& a, const PlanTime& b);

// Does a plan that takes so long pass for as good as the best? If they tie; a baseline or a
// starting point, which every tuning of such a device tries, also where it is 1 % behind, since
// machines change by that much within minutes (docs/measuring.md, "Stability of the choice"). Not
// one that left the finals: it was in the worse half, and of many such some seem close by luck.
bool is_as_good(const Standings& standings, std::size_t plan, const PlanTime& time,
                const PlanTime& best);

// Index of the winning plan on a problem: least total; of those that are as good as it first the
// baseline, then what packs least, then a starting point (so that tunings agree; of several
// the fastest), then the simplest point. nullopt: nobody can.
std::optional<std::size_t> winner(const Standings& standings, std::size_t problem);

// A choice of few kernels that cover all problems: greedy set cover on the geometric mean over
// problems of (time of the best plan of all) / (time of the best chosen plan), 1 being perfect. For
// the choice, a plan that is as good as the best of all (is_as_good) counts like it. A problem that
// no chosen plan serves counts as 0.01.
struct Portfolio {
  // All plans of a chosen kernel that are the best chosen one on a problem, or else its first: in
  // the order in which kernels were chosen.
  std::vector<std::size_t> plans;
  std::vector<double> curve;  // [i]: that mean, of the times themselves, with i + 1 kernels
};
// Plans with the same kernel count as one kernel. At most `max_kernels` (0: as many as change
// anything beyond a tie). The best general kernel of each op (is_general) is always among them, so
// that every call can be served; only for that are there ever more than `max_kernels`.
Portfolio choose_portfolio(const Standings& standings, int max_kernels);

// Is anything measured that a profile could be made of?
bool can_choose(const JournalContents& contents);

// Where a profile has more kernels for plain products than wanted (0: any number): a sentence that
// says so, and why.
std::optional<std::string> explain_excess(const Profile& profile, int max_kernels);

// The profile: the portfolio's kernels with their results on every shape on which they were
// measured, the packs that they need and the plain transposition, what was found for networks (the
// same kernels with bias and activation, kernels that do these or softmax by themselves), rates,
// provenance (complete or not). Throws std::runtime_error if no kernel has been measured yet.
Profile make_profile(const JournalContents& contents, int max_kernels,
                     const std::string& command_line);

// What the profile's packs do, for large matrices. And the kernels that were found for that are
// added, unless they are there.
std::set<ParameterPoint> large_pack_requirements(const Profile& profile);
void add_large_packs(Profile& profile, const JournalContents& contents);

}  // namespace tilewright
