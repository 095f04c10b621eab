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
#include "tuner/select/finalists.hpp"

namespace tilewright {

// Returns the auxiliary costs according to the journal.
AuxiliaryCost make_auxiliary_cost(const JournalContents& contents);

// The time of a kernel for one op and shape, with auxiliary kernels and their launches.
struct PlanTime {
  std::vector<double> samples_ns;  // of the kernel alone, corrected for slow-downs
  KnownTime kernel_ns;             // estimate from these samples
  AuxiliaryCost::Cost auxiliary;
  // True if it took part in the last block of the finals, or if there were no finals. A kernel that
  // dropped out counts as slower than the best survivor, whatever its samples are.
  bool survives = true;
  // Kernels are compared by this.
  double total_ns() const { return kernel_ns.value + auxiliary.ns; }
  KnownTime total() const { return {total_ns(), kernel_ns.uncertainty}; }
};

// The times on one problem. A kernel that failed or does not support it is absent.
using KernelTimes = std::map<KernelId, PlanTime>;

// Returns the kernel with the smallest time, among survivors if there are any; no kernel if there
// are no times.
KernelId fastest_kernel(const KernelTimes& times);

// Returns the times of kernels for one op on a shape. Uncertainties are relative to the fastest
// kernel. Kernels without their required auxiliary kernels are left out, because a profile could
// not use them.
KernelTimes kernel_times(const std::map<KernelId, Estimate>& known, Op op, const GemmShape& shape,
                         const AuxiliaryCost& auxiliary);

// A kernel for one op. A kernel may be used for several ops.
struct OpKernel {
  Op op = Op::kNN;
  KernelId kernel;
  auto operator<=>(const OpKernel&) const = default;
};

// The problems (op and shape) of a tuning and the times of the kernels on each. Without finals,
// these are the times of the search, of all candidates that are ok. The same holds for shapes that
// the finals did not reach.
struct Standings {
  struct Problem {
    Op op;
    GemmShape shape;
    double weight = 1.0;     // weight in the choice of a portfolio
    bool predicted = false;  // true if it was not measured
  };
  std::vector<Problem> problems;
  std::vector<KernelTimes> times;  // by problem
  std::vector<KernelId> kernels;   // without duplicates
  std::set<KernelId> baselines;    // what would run without this tuning
  std::set<KernelId> starting;     // the kernels of starting_kernels()
  std::set<KernelId> built_in;     // those of working_built_in()

  // Returns the time of a kernel on a problem, or nullptr.
  const PlanTime* time(std::size_t problem, const KernelId& kernel) const;
  KernelId fastest(std::size_t problem) const { return fastest_kernel(times[problem]); }
  // Returns the number of auxiliary kernels in the problem for which the kernel needs most of them.
  int auxiliaries(const OpKernel& entry) const;
};
// Evaluates a journal.
Standings standings(const JournalContents& contents);

// Returns true if the times of two kernels differ by no more than noise explains.
bool is_tie(const PlanTime& a, const PlanTime& b);

// Returns true if a kernel with this time counts as equal to the best: if they tie, or if it is a
// baseline or a starting point (which every tuning of such a device tries) and at most 1 % slower,
// since machines vary by that much within minutes (docs/measuring.md, "Stability of the choice"). A
// kernel that dropped out of the finals never counts as equal: it was in the worse half, and of
// many such kernels some seem close by luck.
bool is_as_good(const Standings& standings, const KernelId& kernel, const PlanTime& time,
                const PlanTime& best);

// Returns the winner on a problem; no kernel if none supports it. The kernel with the smallest time
// wins. Among the kernels that count as equal to it, the order of preference is: a baseline, the
// kernel with the fewest auxiliary kernels, the fastest starting point (so that tunings agree), the
// simplest point.
KernelId winner(const Standings& standings, std::size_t problem);

// A selection of few kernels for all problems. It is a greedy set cover that maximizes the weighted
// geometric mean over problems of (time of the best kernel) / (time of the best selected kernel); 1
// is optimal. A kernel that counts as equal to the best (is_as_good()) counts as 1. A problem
// without a selected kernel counts as 0.01.
struct Portfolio {
  // The selected kernels with the ops for which they are the best selected ones on some problem. If
  // a kernel has none and is not built in, with the op for which it needs the fewest auxiliary
  // kernels. In the order in which kernels were selected.
  std::vector<OpKernel> entries;
  double built_in = 0.0;      // that mean for the built-in kernels alone, without the rule for ties
  std::vector<double> curve;  // [i]: the same with i + 1 more kernels
};
// The built-in kernels are selected from the start, because the library has them in any case.
// Selects at most `max_kernels` other kernels (0: as many as improve the result beyond a tie);
// several ops of a kernel count once. The best general kernel (is_general()) for each op is
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
