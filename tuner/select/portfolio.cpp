#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "tuner/select/finalists.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

constexpr double kUnsupportedScore = 0.01;  // share of a problem that no selected kernel supports
constexpr double kSameScore = 1e-9;         // tolerance for rounding errors in sums of logarithms
// With predicted problems, almost any kernel improves many of them a little. A smaller gain in the
// mean is not worth a kernel,
constexpr double kWorthwhile = 1e-3;
// unless it improves a measured problem by this much: one problem in hundreds hardly changes the
// mean.
constexpr double kWorthwhileOnOne = 0.05;

// Selects kernels, given as indices into Standings::kernels.
class PortfolioChoice {
 public:
  explicit PortfolioChoice(const Standings& standings);

  Portfolio choose(int max_kernels);

 private:
  using Shares = std::vector<double>;  // per problem: time of the best kernel / time of this one

  // A kernel that may be selected.
  struct Candidate {
    KernelId kernel;
    Shares shares;
    Shares tie_shares;  // the same, but 1 if the kernel counts as equal to the best
    bool built_in = false;
    bool baseline = false;
    bool starting = false;
    int auxiliaries = 0;  // number of auxiliary kernels for the op that needs most
    std::vector<Op> ops;  // for which it has a time
    // By op that it supports without packing, whatever the call: its score().
    std::map<Op, double> general;
  };

  Candidate candidate(const KernelId& kernel) const;
  double general_score(const OpKernel& entry) const;
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
  std::vector<OpKernel> entries() const;

  const Standings& standings_;
  std::vector<KernelId> fastest_;  // per problem
  std::vector<Candidate> kernels_;
  std::set<std::size_t> left_;  // kernels that are not selected
  std::vector<std::size_t> chosen_;
  Shares weights_;              // of the problems that any kernel supports
  std::vector<bool> measured_;  // for the same problems: whether they were measured
  double min_gain_;             // minimum gain of another kernel
  Shares shares_;               // of all selected kernels
  Shares tie_shares_;           // of all selected kernels
  double built_in_ = 0.0;       // Portfolio::built_in
  std::vector<double> curve_;
};

// Returns the weighted mean of the logarithms.
double PortfolioChoice::score(const Shares& shares, const Shares& weights) {
  double sum = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sum += weights[i] * std::log(shares[i]);
    all += weights[i];
  }
  return shares.empty() ? 0.0 : sum / all;
}

PortfolioChoice::Shares PortfolioChoice::better(const Shares& a, const Shares& b) {
  Shares result = a;
  for (std::size_t i = 0; i < b.size(); ++i) result[i] = std::max(result[i], b[i]);
  return result;
}

PortfolioChoice::PortfolioChoice(const Standings& standings) : standings_(standings) {
  for (std::size_t p = 0; p < standings.problems.size(); ++p) {
    fastest_.push_back(standings.fastest(p));
  }
  for (const KernelId& kernel : standings.kernels) kernels_.push_back(candidate(kernel));
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (!kernels_[i].ops.empty()) left_.insert(i);
  }
  bool predicted = false;
  for (std::size_t p = 0; p < fastest_.size(); ++p) {
    predicted = predicted || standings.problems[p].predicted;
    if (fastest_[p].empty()) continue;
    weights_.push_back(standings.problems[p].weight);
    measured_.push_back(!standings.problems[p].predicted);
  }
  min_gain_ = predicted ? kWorthwhile : kSameScore;
  shares_.assign(weights_.size(), kUnsupportedScore);
  tie_shares_ = shares_;
}

PortfolioChoice::Candidate PortfolioChoice::candidate(const KernelId& kernel) const {
  Candidate candidate;
  candidate.kernel = kernel;
  candidate.built_in = standings_.built_in.contains(kernel);
  candidate.baseline = standings_.baselines.contains(kernel);
  candidate.starting = standings_.starting.contains(kernel);
  std::set<Op> ops;
  for (std::size_t p = 0; p < fastest_.size(); ++p) {
    if (fastest_[p].empty()) continue;  // a problem that no kernel supports does not count
    const PlanTime& best = standings_.times[p].at(fastest_[p]);
    double& share = candidate.shares.emplace_back(kUnsupportedScore);
    double& tie_share = candidate.tie_shares.emplace_back(kUnsupportedScore);
    const PlanTime* const time = standings_.time(p, kernel);
    if (time == nullptr) continue;
    ops.insert(standings_.problems[p].op);
    share = std::max(share, best.total_ns() / time->total_ns());
    tie_share = is_as_good(standings_, kernel, *time, best) ? 1.0 : share;
  }
  candidate.ops.assign(ops.begin(), ops.end());
  for (const Op op : ops) {
    const int auxiliaries = standings_.auxiliaries({op, kernel});
    candidate.auxiliaries = std::max(candidate.auxiliaries, auxiliaries);
    if (auxiliaries == 0 && is_general(kernel.point())) {
      candidate.general[op] = general_score({op, kernel});
    }
  }
  return candidate;
}

// Returns the score of a kernel over the problems of one op.
double PortfolioChoice::general_score(const OpKernel& entry) const {
  Shares shares;
  Shares weights;
  for (std::size_t p = 0; p < fastest_.size(); ++p) {
    if (fastest_[p].empty() || standings_.problems[p].op != entry.op) continue;
    const PlanTime* const time = standings_.time(p, entry.kernel);
    const PlanTime& best = standings_.times[p].at(fastest_[p]);
    const bool as_good = time != nullptr && is_as_good(standings_, entry.kernel, *time, best);
    const double share = time != nullptr ? best.total_ns() / time->total_ns() : kUnsupportedScore;
    shares.push_back(as_good ? 1.0 : std::max(kUnsupportedScore, share));
    weights.push_back(standings_.problems[p].weight);
  }
  return score(shares, weights);
}

// Sort key for kernels that improve the selection equally; the smallest one is preferred.
std::tuple<bool, int, bool, double, ParameterPoint> PortfolioChoice::preference(
    std::size_t i) const {
  const Candidate& own = kernels_[i];
  const double loss = own.starting ? -score(better(shares_, own.shares)) : 0.0;
  return {!own.baseline, own.auxiliaries, !own.starting, loss, own.kernel.point()};
}

// Returns true if these shares are a sufficient improvement over the selected kernels.
bool PortfolioChoice::is_worthwhile(const Shares& with_it) const {
  if (score(with_it) > score(tie_shares_) + min_gain_) return true;
  for (std::size_t p = 0; p < with_it.size(); ++p) {
    if (measured_[p] && with_it[p] > (1.0 + kWorthwhileOnOne) * tie_shares_[p]) return true;
  }
  return false;
}

// Returns the kernel that improves the selection most; nullopt if none improves it beyond a tie.
std::optional<std::size_t> PortfolioChoice::next(const std::set<std::size_t>& among) const {
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

void PortfolioChoice::take(std::size_t kernel) {
  shares_ = better(shares_, kernels_[kernel].shares);
  tie_shares_ = better(tie_shares_, kernels_[kernel].tie_shares);
  chosen_.push_back(kernel);
  left_.erase(kernel);
  if (!kernels_[kernel].built_in) curve_.push_back(std::exp(score(shares_)));
}

void PortfolioChoice::take_built_in() {
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (kernels_[i].built_in && !kernels_[i].ops.empty()) take(i);
  }
  if (!chosen_.empty()) built_in_ = std::exp(score(shares_));
}

// Returns, for each op, the best general kernel, if no selected one is as good.
std::set<std::size_t> PortfolioChoice::missing_general() const {
  std::map<Op, std::size_t> best;
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
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
bool PortfolioChoice::goes_before(std::size_t i, std::size_t other) const {
  const bool chosen = left_.count(i) == 0;
  const bool other_chosen = left_.count(other) == 0;
  return chosen != other_chosen ? chosen : preference(i) < preference(other);
}

// Returns the entries of the selected kernels that win a problem if there are no other kernels. For
// a kernel that wins none, returns its entry with the fewest auxiliary kernels.
std::vector<OpKernel> PortfolioChoice::entries() const {
  Standings own = standings_;
  std::set<KernelId> chosen;
  for (const std::size_t i : chosen_) chosen.insert(kernels_[i].kernel);
  std::set<OpKernel> winners;
  for (std::size_t p = 0; p < own.times.size(); ++p) {
    std::erase_if(own.times[p], [&](const auto& time) { return !chosen.contains(time.first); });
    if (const KernelId best = winner(own, p); !best.empty()) {
      winners.insert({own.problems[p].op, best});
    }
  }
  std::vector<OpKernel> result;
  for (const std::size_t i : chosen_) {
    const std::size_t size_before = result.size();
    std::optional<OpKernel> least;
    for (const Op op : kernels_[i].ops) {
      const OpKernel entry{op, kernels_[i].kernel};
      if (winners.contains(entry)) result.push_back(entry);
      if (!least || own.auxiliaries(entry) < own.auxiliaries(*least)) least = entry;
    }
    const bool wins = result.size() > size_before;
    if (!wins && !kernels_[i].built_in) result.push_back(*least);
  }
  return result;
}

Portfolio PortfolioChoice::choose(int max_kernels) {
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
  return {entries(), built_in_, curve_};
}

}  // namespace

Portfolio choose_portfolio(const Standings& standings, int max_kernels) {
  return PortfolioChoice(standings).choose(max_kernels);
}

}  // namespace tilewright
