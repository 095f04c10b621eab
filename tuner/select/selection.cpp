#include "tuner/select/selection.hpp"

#include <algorithm>
#include <tuple>

#include "tuner/journal/records/slow_down.hpp"
#include "tuner/select/baseline.hpp"
#include "tuner/select/finalists.hpp"

namespace tilewright {
namespace {

// Returns the best candidates that a search has measured so far, and the built-in kernels.
std::vector<KernelId> searched_kernels(const JournalContents& contents,
                                       const AuxiliaryCost& auxiliary) {
  std::vector<KernelId> kernels;
  const std::set<KernelId> failed = failed_later(contents.outcomes);
  const auto add = [&](const KernelId& kernel) {
    const bool is_new = std::find(kernels.begin(), kernels.end(), kernel) == kernels.end();
    if (is_new && is_usable(kernel, contents.header.ops, contents.header.shapes, auxiliary)) {
      kernels.push_back(kernel);
    }
  };
  for (const Outcome* outcome : promising_outcomes(contents.outcomes)) {
    if (!failed.contains(outcome->kernel)) add(outcome->kernel);
  }
  for (const KernelId& built_in : working_built_in(contents.outcomes)) add(built_in);
  return kernels;
}

// Returns the times from the search for kernels on a shape. All of them count as survivors.
std::map<KernelId, Estimate> searched(const JournalContents& contents,
                                      const std::vector<KernelId>& kernels,
                                      const GemmShape& shape) {
  std::map<KernelId, Estimate> result;
  const std::set<KernelId> wanted(kernels.begin(), kernels.end());
  for (const Outcome& outcome : contents.outcomes) {
    const ShapeSamples* samples = samples_on(outcome, shape);
    const bool measured = samples != nullptr && !samples->ns.empty();
    if (outcome.result != OutcomeClass::kOk || !measured || !wanted.contains(outcome.kernel)) {
      continue;
    }
    const std::vector<double> ns = corrected_ns(*samples);
    result.emplace(outcome.kernel, Estimate{ns, quantile(ns, 0.5), {}, true});
  }
  return result;
}

// Sort key for kernels that take the same time; the smallest one is preferred.
auto preference(const Standings& standings, std::size_t problem, const KernelId& kernel) {
  const PlanTime& time = standings.times[problem].at(kernel);
  const bool starting = standings.starting.contains(kernel);
  return std::tuple(!standings.baselines.contains(kernel), time.auxiliary.kernels(), !starting,
                    starting ? time.total_ns() : 0.0, kernel.point());
}

}  // namespace

AuxiliaryCost make_auxiliary_cost(const JournalContents& contents) {
  return {contents.packs, contents.rates.value_or(MeasuredRates{}), contents.header.b_prepacked,
          contents.header.device.identity.compute_units};
}

KernelId fastest_kernel(const KernelTimes& times) {
  const auto key = [](const PlanTime& time) { return std::pair(!time.survives, time.total_ns()); };
  const auto best = std::min_element(times.begin(), times.end(), [&](const auto& a, const auto& b) {
    return key(a.second) < key(b.second);
  });
  return best == times.end() ? KernelId() : best->first;
}

KernelTimes kernel_times(const std::map<KernelId, Estimate>& known, Op op, const GemmShape& shape,
                         const AuxiliaryCost& auxiliary) {
  KernelTimes times;
  for (const auto& [kernel, estimate] : known) {
    const auto cost = auxiliary.find(kernel, op, shape);
    if (!cost) continue;
    times[kernel] = {estimate.samples_ns, {estimate.ns, 0.0}, *cost, estimate.survives};
  }
  const KernelId fastest = fastest_kernel(times);
  if (fastest.empty()) return times;
  const PlanTime best = times.at(fastest);
  for (auto& [kernel, time] : times) {
    time.kernel_ns.uncertainty = uncertainty_ns(known.at(kernel), known.at(fastest));
    // A kernel that dropped out was in the worse half: its few blocks must not rank it before the
    // winner.
    if (!time.survives && best.survives) {
      time.kernel_ns.value =
          std::max(time.kernel_ns.value, (1.0 + kWidestTie) * best.total_ns() - time.auxiliary.ns);
    }
  }
  return times;
}

const PlanTime* Standings::time(std::size_t problem, const KernelId& kernel) const {
  const auto found = times[problem].find(kernel);
  return found == times[problem].end() ? nullptr : &found->second;
}

int Standings::auxiliaries(const OpKernel& entry) const {
  int most = 0;
  for (std::size_t problem = 0; problem < problems.size(); ++problem) {
    const PlanTime* const own =
        problems[problem].op == entry.op ? time(problem, entry.kernel) : nullptr;
    if (own != nullptr) most = std::max(most, own->auxiliary.kernels());
  }
  return most;
}

Standings standings(const JournalContents& contents) {
  Standings result;
  const AuxiliaryCost auxiliary = make_auxiliary_cost(contents);
  const bool finals = !contents.finals.outcomes.empty();
  const FinalFailures failures = failed_finalists(contents);
  const std::vector<KernelId> built_in = working_built_in(contents.outcomes);
  result.built_in = {built_in.begin(), built_in.end()};
  result.baselines = result.built_in;
  if (finals) {
    result.kernels = contents.finals.kernels;
    result.baselines = {contents.finals.baselines.begin(), contents.finals.baselines.end()};
  } else {
    result.kernels = searched_kernels(contents, auxiliary);
  }
  std::vector<std::map<KernelId, Estimate>> by_shape;
  for (const GemmShape& shape : contents.header.shapes) {
    auto known = finals ? estimates(contents.finals.outcomes, shape, failures)
                        : std::map<KernelId, Estimate>();
    if (known.empty()) known = searched(contents, result.kernels, shape);
    for (const auto& [failed, reason] : failures) known.erase(failed);
    by_shape.push_back(std::move(known));
  }
  for (const Op op : contents.header.ops) {
    result.starting.merge(starting_kernels(op, contents.header.device,
                                           contents.rates.value_or(MeasuredRates{}),
                                           contents.header.precision));
    for (std::size_t i = 0; i < contents.header.shapes.size(); ++i) {
      const GemmShape& shape = contents.header.shapes[i];
      result.problems.push_back({op, shape});
      result.times.push_back(kernel_times(by_shape[i], op, shape, auxiliary));
    }
  }
  return result;
}

bool can_choose(const JournalContents& contents) {
  const Standings all = standings(contents);
  for (std::size_t problem = 0; problem < all.problems.size(); ++problem) {
    if (!winner(all, problem).empty()) return true;
  }
  return false;
}

bool is_tie(const PlanTime& a, const PlanTime& b) {
  return is_tie(a.total(), b.total());
}

bool is_as_good(const Standings& standings, const KernelId& kernel, const PlanTime& time,
                const PlanTime& best) {
  if (!time.survives) return false;
  const bool is_known = standings.baselines.contains(kernel) || standings.starting.contains(kernel);
  return is_tie(time, best) ||
         (is_known && time.total_ns() <= (1.0 + kWidestTie) * best.total_ns());
}

KernelId winner(const Standings& standings, std::size_t problem) {
  const KernelTimes& times = standings.times[problem];
  const KernelId best = standings.fastest(problem);
  KernelId first = best;
  for (const auto& [kernel, time] : times) {
    if (is_as_good(standings, kernel, time, times.at(best)) &&
        preference(standings, problem, kernel) < preference(standings, problem, first)) {
      first = kernel;
    }
  }
  return first;
}

}  // namespace tilewright
