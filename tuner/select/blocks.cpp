#include "tuner/select/blocks.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "tuner/journal/records/statistics.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {
namespace {

// At least this many finalists per op continue to the end. With fewer, slow-downs could not be
// estimated reliably, and after a noisy block the best finalist is among the first eight.
constexpr std::size_t kMinRemaining = 8;
// Minimum number of blocks for a decision. Two blocks contain hardly any information about their
// spread: Student's t is 12.7, compared with 4.3 for three.
constexpr std::size_t kSomeBlocks = 3;

// Returns the survivors, fastest first.
std::vector<KernelId> survivors(const KernelTimes& times) {
  std::vector<KernelId> kernels;
  for (const auto& [kernel, time] : times) {
    if (time.survives) kernels.push_back(kernel);
  }
  std::stable_sort(kernels.begin(), kernels.end(), [&](const KernelId& a, const KernelId& b) {
    return times.at(a).total_ns() < times.at(b).total_ns();
  });
  return kernels;
}

// Returns true if the time of a kernel is known well enough, compared with the best one for the op.
bool is_settled(const PlanTime& own, const PlanTime& best, std::size_t blocks) {
  const double uncertainty_ns = own.kernel_ns.uncertainty;
  const bool is_slower = own.total_ns() - uncertainty_ns > (1.0 + kWidestTie) * best.total_ns();
  return blocks >= kSomeBlocks && (is_slower || uncertainty_ns <= kMinTie * own.total_ns());
}

}  // namespace

NextBlock next_block(const Finalists& finalists, const std::vector<Op>& ops, const GemmShape& shape,
                     const AuxiliaryCost& auxiliary, const FinalFailures& failures) {
  const auto known = estimates(finalists.outcomes, shape, failures);
  if (known.empty()) {
    NextBlock all;
    std::copy_if(finalists.kernels.begin(), finalists.kernels.end(), std::back_inserter(all.runs),
                 [&](const KernelId& kernel) {
                   return !failures.contains(kernel) && is_usable(kernel, ops, {shape}, auxiliary);
                 });
    all.settled = all.runs.empty();
    return all;
  }
  std::set<KernelId> before;
  for (const auto& [kernel, estimate] : known) {
    if (estimate.survives) before.insert(kernel);
  }
  std::set<KernelId> runs;
  bool settled = true;
  for (const Op op : ops) {
    const KernelTimes times = kernel_times(known, op, shape, auxiliary);
    const std::vector<KernelId> kernels = survivors(times);
    const std::size_t half = std::max(kMinRemaining, (kernels.size() + 1) / 2);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const KernelId& kernel = kernels[i];
      const std::size_t blocks = known.at(kernel).medians.size();
      settled = settled && is_settled(times.at(kernel), times.at(kernels.front()), blocks);
      if (i < half || std::ranges::count(finalists.baselines, kernel) > 0) runs.insert(kernel);
    }
  }
  return {{runs.begin(), runs.end()}, settled && runs == before};
}

}  // namespace tilewright
