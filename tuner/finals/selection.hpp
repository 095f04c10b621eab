// Which kernels go into the profile?
//
// Pure: all that a journal holds in, a profile out. So the same code answers at the end of a
// tuning, when it is interrupted, when shards are merged and in a replay.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/finals/lineup.hpp"
#include "tuner/records/journal.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {

// The kernel for each demand: the fastest, where joined journals have several.
Auxiliaries fastest_auxiliaries(const std::vector<PackOutcome>& packs);

// What one way of serving costs on one (op, shape), end to end: kernel, what runs beside it, and
// their launches.
struct WayTime {
  std::vector<double> samples_ns;  // of the kernel alone, corrected by the machine's pace
  Known kernel_ns;                 // likewise: what they say
  // Medians of what runs beside it: packs, and adding up the parts of a split k. 0: nothing does.
  double beside_ns = 0.0;
  double beside_uncertainty_ns = 0.0;  // half of a 95 % interval, likewise
  double launches_ns = 0.0;            // of the commands beside the kernel: CommandCosts
  double total_ns() const;             // all added up
  double uncertainty_ns() const;       // likewise
  bool raced = false;                  // in a final; else the times are the search's
};

// The (op, shape) problems of the tuning and, for each, what each way of the line-up costs;
// nullopt: it cannot serve it, or failed. Where no finals were held, the line-up is made of all
// outcomes that are ok, and times of their samples; likewise the times on a shape that the finals
// did not reach. Packing is then taken at the rate of its pack kernel on a large matrix. Ways whose
// pack kernel is not known yet are left out: a profile could not serve them.
struct Standings {
  struct Problem {
    Op op;
    GemmShape shape;
  };
  std::vector<Problem> problems;
  Lineup lineup;
  std::set<std::string> starting;                          // kernels: see starting_kernels()
  std::vector<std::vector<std::optional<WayTime>>> times;  // [problem][way]
};
Standings standings(const JournalContents& contents);

// Do two ways take the same time, end to end, as far as noise tells? Both count as known as
// well as the one that is known better: to have left the race early is no merit.
bool is_tie(const WayTime& a, const WayTime& b);

// Does a way that takes so long pass for as good as the best? If they tie; a baseline or a
// starting point, which did well on other days, also where it is 1 % behind, since machines change
// by that much within minutes (docs/measuring.md, "How stable is the choice?"). Not if it is known
// so much less than the best, having left the race early, that it may be 2 % behind.
bool is_as_good(const Standings& standings, std::size_t way, const WayTime& time,
                const WayTime& best);

// Index of the winning way on a problem: least total; of those that are as good as it first the
// baseline, then what packs least, then a starting point (it did well elsewhere, too; of several
// the fastest), then the simplest point. nullopt: nobody can.
std::optional<std::size_t> winner(const Standings& standings, std::size_t problem);

// A choice of few kernels that cover all problems: greedy set cover on the geometric mean over
// problems of (time of the best way of all) / (time of the best chosen way), 1 being perfect. For
// the choice, a way that is as good as the best of all (is_as_good) counts like it. A problem that
// no chosen way serves counts as 0.01.
struct Portfolio {
  // All ways of a chosen kernel that are the best chosen one on a problem, or else its first: in
  // the order in which kernels were chosen.
  std::vector<std::size_t> ways;
  std::vector<double> curve;  // [i]: that mean, of the times themselves, with i + 1 kernels
};
// Ways with the same kernel count as one kernel. At most `max_kernels` (0: as many as change
// anything beyond a tie). The best general kernel of each op (is_general) is always among them, so
// that every call can be served; only for that are there ever more than `max_kernels`.
Portfolio choose_portfolio(const Standings& standings, int max_kernels);

// Is anything measured that a profile could be made of?
bool can_choose(const JournalContents& contents);

// Where a profile has more kernels for plain products than wanted (0: any number): a sentence that
// says so, and why.
std::optional<std::string> excess_of(const Profile& profile, int max_kernels);

// The profile: the portfolio's kernels with their results on every shape on which they were
// measured, the packs that they need and the plain transposition, what was found for networks (the
// same kernels with bias and activation, kernels that do these or softmax by themselves), rates,
// provenance (complete or not). Throws std::runtime_error if no kernel has been measured yet.
Profile profile_of(const JournalContents& contents, int max_kernels,
                   const std::string& command_line);

// What the profile's packs do, for large matrices. And the kernels that were found for that are
// added, unless they are there.
std::set<ParameterPoint> large_demands(const Profile& profile);
void add_large_packs(Profile& profile, const JournalContents& contents);

}  // namespace tilewright
