#include "tuner/tuning/dry_run.hpp"

#include <cmath>

#include "tuner/search/search_tasks.hpp"
#include "tuner/tuning/decision.hpp"

namespace tilewright {
namespace {

// The points of one phase, each reported at what the models expect of it.
void plan(const SearchTask& task, SearchStrategy& strategy, const DeviceHints& hints, int most,
          std::vector<PlannedCandidate>& planned) {
  for (int i = 0; i < most; ++i) {
    const auto point = strategy.next();
    if (!point) return;
    const double merit = expected_merit(*point, hints);
    strategy.report(*point, -std::log(merit));
    planned.push_back({task.name, *point, merit});
  }
}

}  // namespace

std::vector<PlannedCandidate> planned_candidates(const TuneOptions& asked,
                                                 const DeviceFacts& device) {
  const TuneOptions options = with_design(asked, device);
  const std::vector<SearchTask> tasks = search_tasks(options, device);
  const double seconds = search_share(options) * options.budget_s;
  double weights = 0.0;
  for (const SearchTask& task : tasks) weights += task.weight;
  std::vector<PlannedCandidate> planned;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const SearchTask& task = tasks[i];
    const double share_s = seconds * task.weight / weights;
    const int most = most_candidates(options, tasks, i, static_cast<int>(planned.size()));
    const int in_time = std::max(1, static_cast<int>(share_s / kSecondsPerCandidate));
    const auto strategy = make_strategy(*task.space, task.setup(options, device, share_s, most));
    plan(task, *strategy, device.hints, std::min(most, in_time), planned);
  }
  return planned;
}

DeviceFacts facts_of(const DeviceOnPaper& device) {
  DeviceFacts facts;
  facts.identity.name = device.gpu.known() ? device.gpu.name : device.name;
  facts.identity.compute_units = device.gpu.compute_units;
  facts.identity.max_clock_mhz = device.gpu.clock_mhz;
  const SpaceLimits& limits = device.limits;
  facts.identity.limits = {limits.max_work_group_size, limits.max_work_item_sizes,
                           limits.local_memory_bytes, limits.local_memory_is_dedicated,
                           limits.image_support};
  facts.limits = limits;
  facts.hints = device.hints();
  facts.type = "gpu";
  return facts;
}

}  // namespace tilewright
