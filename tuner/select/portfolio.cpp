#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "tuner/select/lineup.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

constexpr double kUnsupportedScore = 0.01;  // share of a problem that no selected plan supports
constexpr double kSameScore = 1e-9;         // tolerance for rounding errors in sums of logarithms
// With predicted problems, almost any kernel improves many of them a little. A smaller gain in the
// mean is not worth a kernel,
constexpr double kWorthwhile = 1e-3;
// unless it improves a measured problem by this much: one problem in hundreds hardly changes the
// mean.
constexpr double kWorthwhileOnOne = 0.05;

// Selects kernels, given as indices of finalists.
class Choice {
 public:
  explicit Choice(const Standings& standings);

  Portfolio choose(int max_kernels);

 private:
  using Shares = std::vector<double>;  // per problem: cost of the best plan / cost of this one

  // A kernel that may be selected.
  struct Kernel {
    std::size_t finalist = 0;
    Shares shares;      // of its best plan
    Shares tie_shares;  // the same, but 1 if the plan counts as equal to the best
    bool built_in = false;
    bool baseline = false;
    bool starting = false;
    int auxiliaries = 0;  // number of auxiliary kernels of the plan that needs most
    ParameterPoint point;
    bool supports = false;  // true if it supports any problem
    // By op that it supports without packing, whatever the call: its score().
    std::map<Op, double> general;
  };

  using Fastest = std::vector<std::optional<std::size_t>>;  // per problem: a plan

  static Fastest fastest_plans(const Standings& standings);
  Kernel chosen_kernel(std::size_t finalist, const Fastest& fastest) const;
  double general_score(std::size_t plan, const Fastest& fastest) const;
  std::set<std::size_t> missing_general() const;
  bool goes_before(std::size_t i, std::size_t other) const;
  std::tuple<bool, int, bool, double, ParameterPoint> preference(std::size_t i) const;
  bool is_worthwhile(const Shares& with_it) const;
  std::optional<std::size_t> next(const std::set<std::size_t>& among) const;
  void take(std::size_t kernel);
  void take_built_in();
  static double score(const Shares& shares, const Shares& weights);
  double score(const Shares& shares) const { return score(shares, weights_); }
  static Shares better(const Shares& a, const Shares& b);
  std::vector<std::size_t> plans() const;

  const Standings& standings_;
  std::vector<Kernel> kernels_;
  std::set<std::size_t> left_;  // kernels that are not selected
  std::vector<std::size_t> chosen_;
  Shares weights_;              // of the problems that any plan supports
  std::vector<bool> measured_;  // for the same problems: whether they were measured
  double min_gain_;             // minimum gain of another kernel
  Shares shares_;               // of all selected kernels
  Shares tie_shares_;           // of all selected kernels
  double built_in_ = 0.0;       // Portfolio::built_in
  std::vector<double> curve_;
};

// Returns the weighted mean of the logarithms.
double Choice::score(const Shares& shares, const Shares& weights) {
  double sum = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sum += weights[i] * std::log(shares[i]);
    all += weights[i];
  }
  return shares.empty() ? 0.0 : sum / all;
}

Choice::Shares Choice::better(const Shares& a, const Shares& b) {
  Shares result = a;
  for (std::size_t i = 0; i < b.size(); ++i) result[i] = std::max(result[i], b[i]);
  return result;
}

Choice::Fastest Choice::fastest_plans(const Standings& standings) {
  Fastest fastest;
  for (std::size_t p = 0; p < standings.problems.size(); ++p) {
    fastest.push_back(standings.fastest(p));
  }
  return fastest;
}

Choice::Choice(const Standings& standings) : standings_(standings) {
  const Fastest fastest = fastest_plans(standings);
  std::set<std::size_t> finalists;
  for (const FinalPlan& plan : standings.lineup.plans) {
    if (finalists.insert(plan.finalist).second) {
      kernels_.push_back(chosen_kernel(plan.finalist, fastest));
    }
  }
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (kernels_[i].supports) left_.insert(i);
  }
  bool predicted = false;
  for (std::size_t p = 0; p < fastest.size(); ++p) {
    predicted = predicted || standings.problems[p].predicted;
    if (!fastest[p]) continue;
    weights_.push_back(standings.problems[p].weight);
    measured_.push_back(!standings.problems[p].predicted);
  }
  min_gain_ = predicted ? kWorthwhile : kSameScore;
  shares_.assign(weights_.size(), kUnsupportedScore);
  tie_shares_ = shares_;
}

Choice::Kernel Choice::chosen_kernel(std::size_t finalist, const Fastest& fastest) const {
  const Lineup& lineup = standings_.lineup;
  Kernel kernel;
  kernel.finalist = finalist;
  kernel.point = lineup.finalists[finalist].point();
  kernel.built_in = standings_.built_in.count(lineup.finalists[finalist]) > 0;
  kernel.starting = standings_.starting.count(lineup.finalists[finalist]) > 0;
  std::vector<std::size_t> own_plans;
  for (std::size_t i = 0; i < lineup.plans.size(); ++i) {
    if (lineup.plans[i].finalist != finalist) continue;
    own_plans.push_back(i);
    const int auxiliaries = standings_.auxiliaries(i);
    kernel.auxiliaries = std::max(kernel.auxiliaries, auxiliaries);
    kernel.baseline = kernel.baseline || standings_.is_baseline(i);
    if (auxiliaries == 0 && is_general(kernel.point)) {
      kernel.general[lineup.plans[i].op] = general_score(i, fastest);
    }
  }
  for (std::size_t p = 0; p < fastest.size(); ++p) {
    if (!fastest[p]) continue;  // a problem that no plan supports does not count
    const PlanTime& best = *standings_.times[p][*fastest[p]];
    double& share = kernel.shares.emplace_back(kUnsupportedScore);
    double& tie_share = kernel.tie_shares.emplace_back(kUnsupportedScore);
    for (const std::size_t plan : own_plans) {
      const auto& time = standings_.times[p][plan];
      if (!time) continue;
      kernel.supports = true;
      share = std::max(share, best.total_ns() / time->total_ns());
      tie_share = std::max(tie_share, is_as_good(standings_, plan, *time, best) ? 1.0 : share);
    }
  }
  return kernel;
}

// Returns the score of one plan over the problems of its op.
double Choice::general_score(std::size_t plan, const Fastest& fastest) const {
  Shares shares;
  Shares weights;
  for (std::size_t p = 0; p < fastest.size(); ++p) {
    if (!fastest[p] || standings_.problems[p].op != standings_.lineup.plans[plan].op) continue;
    const auto& time = standings_.times[p][plan];
    const double best_ns = standings_.times[p][*fastest[p]]->total_ns();
    const bool as_good =
        time && is_as_good(standings_, plan, *time, *standings_.times[p][*fastest[p]]);
    const double share = time ? best_ns / time->total_ns() : kUnsupportedScore;
    shares.push_back(as_good ? 1.0 : std::max(kUnsupportedScore, share));
    weights.push_back(standings_.problems[p].weight);
  }
  return score(shares, weights);
}

// Sort key for kernels that improve the selection equally; the smallest one is preferred.
std::tuple<bool, int, bool, double, ParameterPoint> Choice::preference(std::size_t i) const {
  const Kernel& kernel = kernels_[i];
  const double loss = kernel.starting ? -score(better(shares_, kernel.shares)) : 0.0;
  return {!kernel.baseline, kernel.auxiliaries, !kernel.starting, loss, kernel.point};
}

// Returns true if these shares are a sufficient improvement over the selected kernels.
bool Choice::is_worthwhile(const Shares& with_it) const {
  if (score(with_it) > score(tie_shares_) + min_gain_) return true;
  for (std::size_t p = 0; p < with_it.size(); ++p) {
    if (measured_[p] && with_it[p] > (1.0 + kWorthwhileOnOne) * tie_shares_[p]) return true;
  }
  return false;
}

// Returns the kernel that improves the selection most; nullopt if none improves it beyond a tie.
std::optional<std::size_t> Choice::next(const std::set<std::size_t>& among) const {
  std::optional<std::size_t> best;
  double best_score = 0.0;
  for (const std::size_t i : among) {
    const Shares together = better(tie_shares_, kernels_[i].tie_shares);
    if (!is_worthwhile(together)) continue;
    const double with_it = score(together);
    const bool improves = !best || with_it > best_score + kSameScore;
    const bool equals = best && with_it > best_score - kSameScore;
    if (improves || (equals && preference(i) < preference(*best))) {
      best_score = best ? std::max(best_score, with_it) : with_it;
      best = i;
    }
  }
  return best;
}

void Choice::take(std::size_t kernel) {
  shares_ = better(shares_, kernels_[kernel].shares);
  tie_shares_ = better(tie_shares_, kernels_[kernel].tie_shares);
  chosen_.push_back(kernel);
  left_.erase(kernel);
  if (!kernels_[kernel].built_in) curve_.push_back(std::exp(score(shares_)));
}

void Choice::take_built_in() {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (kernels_[i].built_in && kernels_[i].supports) take(i);
  }
  if (!chosen_.empty()) built_in_ = std::exp(score(shares_));
}

// Returns, for each op, the best general kernel, if no selected one is as good.
std::set<std::size_t> Choice::missing_general() const {
  std::map<Op, std::size_t> best;
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (!kernels_[i].supports) continue;
    for (const auto& [op, own] : kernels_[i].general) {
      const auto [place, is_first] = best.emplace(op, i);
      const double others = kernels_[place->second].general.at(op);
      const bool same = std::abs(own - others) <= kSameScore;
      if (!is_first && (same ? goes_before(i, place->second) : own > others)) place->second = i;
    }
  }
  std::set<std::size_t> result;
  for (const auto& [op, kernel] : best) {
    if (left_.count(kernel) > 0) result.insert(kernel);
  }
  return result;
}

// Order of kernels that are equally good: selected ones first, then as in next().
bool Choice::goes_before(std::size_t i, std::size_t other) const {
  const bool chosen = left_.count(i) == 0;
  const bool other_chosen = left_.count(other) == 0;
  return chosen != other_chosen ? chosen : preference(i) < preference(other);
}

// Returns the plans of the selected kernels that win a problem if there are no other kernels. For a
// kernel that wins none, returns its plan with the fewest auxiliary kernels.
std::vector<std::size_t> Choice::plans() const {
  const std::vector<FinalPlan>& all = standings_.lineup.plans;
  Standings own = standings_;
  const auto is_chosen = [&](std::size_t plan) {
    return std::any_of(chosen_.begin(), chosen_.end(),
                       [&](std::size_t i) { return kernels_[i].finalist == all[plan].finalist; });
  };
  std::set<std::size_t> winners;
  for (std::size_t p = 0; p < own.times.size(); ++p) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!is_chosen(i)) own.times[p][i].reset();
    }
    if (const auto best = winner(own, p)) winners.insert(*best);
  }
  std::vector<std::size_t> result;
  for (const std::size_t kernel : chosen_) {
    const std::size_t size_before = result.size();
    std::optional<std::size_t> least;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].finalist != kernels_[kernel].finalist) continue;
      if (winners.count(i) != 0) result.push_back(i);
      if (!least || own.auxiliaries(i) < own.auxiliaries(*least)) least = i;
    }
    const bool wins = result.size() > size_before;
    if (!wins && !kernels_[kernel].built_in) result.push_back(*least);
  }
  return result;
}

Portfolio Choice::choose(int max_kernels) {
  take_built_in();
  const auto has_space = [&] {
    return max_kernels <= 0 ||
           curve_.size() + missing_general().size() < static_cast<std::size_t>(max_kernels);
  };
  while (has_space()) {
    const auto best = next(left_);
    if (!best) break;
    take(*best);
  }
  for (auto missing = missing_general(); !missing.empty(); missing = missing_general()) {
    take(next(missing).value_or(*missing.begin()));
  }
  return {plans(), built_in_, curve_};
}

}  // namespace

Portfolio choose_portfolio(const Standings& standings, int max_kernels) {
  return Choice(standings).choose(max_kernels);
}

}  // namespace tilewright
