#include "tuner/search_tasks.hpp"

#include <algorithm>

#include "codelets/generic_profile.hpp"
#include "codelets/starting_points.hpp"
#include "tuner/shapes.hpp"
#include "tuner/spellings.hpp"
#include "tuner/tuning.hpp"
#include "tuner/warm_start.hpp"

namespace tilewright {
namespace {

// What a candidate takes, about, before any was tried: compiling is most of it.
constexpr double kSecondsPerCandidate = 0.7;

void add_valid(std::vector<ParameterPoint>& points, const ParameterPoint& point,
               const Space& space) {
  const bool is_new = std::find(points.begin(), points.end(), point) == points.end();
  if (is_new && space.contains(point)) points.push_back(point);
}

// What is known to do well: other profiles' kernels, points that won elsewhere, and the built-in
// profile's kernels, so that a tuning is never worse than none.
std::vector<ParameterPoint> first_points(const SearchTask& task, const TuneOptions& options,
                                         const SpaceLimits& limits) {
  std::vector<ParameterPoint> points;
  for (const Profile& profile : options.warm_start) {
    for (const Op op : task.ops) {
      for (const ParameterPoint& point : warm_points(profile, op, limits)) {
        add_valid(points, unspelled(point), *task.space);
      }
    }
  }
  const bool packed = task.name == kPackedTask;
  for (const Op op : task.ops) {
    for (const auto& point :
         packed ? packed_starting_points(limits) : starting_points(op, limits)) {
      add_valid(points, point, *task.space);
    }
  }
  for (const KernelRecord& record : generic_profile().kernels) {
    if (record.role == Role::kGemm) add_valid(points, parse_point(record.point), *task.space);
  }
  return points;
}

}  // namespace

SearchSetup SearchTask::setup(const TuneOptions& options, const DeviceFacts& device,
                              double budget_s) const {
  SearchSetup setup;
  setup.kind = options.strategy.value_or(
      valid > 0.0 ? choose_strategy(valid / options.shards, kSecondsPerCandidate, budget_s)
                  : StrategyKind::kGreedy);
  setup.hints = device.hints;
  setup.seed = options.seed;
  setup.first = first;
  setup.shard = options.shard;
  setup.shards = options.shards;
  return setup;
}

std::vector<SearchTask> search_tasks(const TuneOptions& options, const DeviceFacts& device) {
  std::vector<SearchTask> tasks;
  const auto add = [&](std::string name, std::vector<Op> ops, bool packed) {
    SearchTask task;
    task.name = std::move(name);
    task.ops = std::move(ops);
    SpaceOptions space;
    space.packed = packed;
    space.fixed = {"split_k", "multiply_add"};
    space.only = options.only;
    task.space = std::make_unique<Space>(gemm_point(packed ? Op::kNN : task.ops.front()),
                                         device.limits, space);
    // A space that nothing restricts has far more points than any budget, and takes up to half a
    // minute to count.
    if (!options.only.empty()) {
      task.valid = static_cast<double>(task.space->count().valid);
    }
    task.first = first_points(task, options, device.limits);
    tasks.push_back(std::move(task));
  };
  for (const Op op : options.ops) add(std::string(to_text(op)), {op}, false);
  if (options.packed) add(kPackedTask, options.ops, true);
  return tasks;
}

CostModel screening_costs(const std::vector<Op>& ops, const std::vector<GemmShape>& shapes,
                          const DeviceRates& rates, const std::vector<Outcome>& outcomes) {
  CostModel costs(ops, screening_shapes(shapes, most_screening_flops(rates)), rates);
  for (const Outcome& outcome : outcomes) costs.learn(outcome);
  return costs;
}

std::vector<GemmShape> screening_shapes(std::vector<GemmShape> shapes, double most_flops) {
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& a, const GemmShape& b) { return flops(a) < flops(b); });
  while (shapes.size() > 1 && flops(shapes.back()) > most_flops) shapes.pop_back();
  if (shapes.size() <= 3) return shapes;
  return {shapes.front(), shapes[shapes.size() / 2], shapes.back()};
}

double most_screening_flops(const DeviceRates& rates) {
  constexpr double kSeconds = 0.02;
  constexpr double kUsualGflops = 300.0;
  return kSeconds * 1e9 * (rates.peak_gflops > 0.0 ? rates.peak_gflops : kUsualGflops);
}

}  // namespace tilewright
