#include "tuner/tuning/dry_run.hpp"

#include <cmath>

#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/time_division.hpp"

namespace tilewright {
namespace {

// Adds the points of one search. Each is reported with the cost that the models predict.
void add_candidates(const SearchTask& task, SearchStrategy& strategy, const DeviceInfo& device,
                    int most, std::vector<DryRunCandidate>& candidates) {
  for (int i = 0; i < most; ++i) {
    const auto point = strategy.next();
    if (!point) return;
    const double score = expected_score(*point, device);
    strategy.report(*point, -std::log(score));
    candidates.push_back({task.name, *point, score});
  }
}

}  // namespace

std::vector<DryRunCandidate> dry_run_candidates(const TuneOptions& asked,
                                                const DeviceInfo& device) {
  const TuneOptions options = with_design(asked, device);
  const std::vector<SearchTask> tasks = search_tasks(options, device);
  const double seconds = search_share(options) * options.budget_s;
  double weights = 0.0;
  for (const SearchTask& task : tasks) weights += task.weight;
  std::vector<DryRunCandidate> candidates;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const SearchTask& task = tasks[i];
    const double share_s = seconds * task.weight / weights;
    const int most = max_candidates(options, tasks, i, static_cast<int>(candidates.size()));
    const int in_time = std::max(1, static_cast<int>(share_s / kSecondsPerCandidate));
    const auto strategy = make_strategy(*task.space, task.setup(options, device, share_s, most));
    add_candidates(task, *strategy, device, std::min(most, in_time), candidates);
  }
  return candidates;
}

}  // namespace tilewright
