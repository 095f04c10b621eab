#include "tuner/tuning/search_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "codelets/space/tuned_points.hpp"
#include "tuner/journal/records/shapes.hpp"
#include "tuner/process/stop_signal.hpp"
#include "tuner/search/warm_start.hpp"
#include "tuner/tuning/time_division.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {
namespace {

// Weight of a search for narrow products if there are other shapes, too; its space is small.
constexpr double kNarrowWeight = 0.25;

void add_valid(std::vector<ParameterPoint>& points, const ParameterPoint& point,
               const Space& space) {
  const std::optional<ParameterPoint> known = as_searched(space, point);
  const bool is_new = std::find(points.begin(), points.end(), known) == points.end();
  if (known && is_new) points.push_back(*known);
}

// Adds the points that were fastest on devices of the same class.
void add_tuned(std::vector<ParameterPoint>& points, const Space& space, const TuneOptions& options,
               const DeviceInfo& device) {
  for (const ParameterPoint& point : tuned_points(device)) {
    add_valid(points, with_precision(point, options.precision), space);
  }
}

// Returns points that are known to be good: the kernels of other profiles, the built-in kernels for
// the device's class and others that were fastest on devices of the class, points that follow from
// the device's facts, and the built-in kernels for every device. Because of the latter, a tuning is
// never worse than no tuning.
std::vector<ParameterPoint> first_points(const SearchTask& task, const TuneOptions& options,
                                         const DeviceInfo& device) {
  std::vector<ParameterPoint> points;
  if (!options.starting_points) return points;
  const SpaceLimits& limits = device.limits;
  const DeviceInfo typed = typed_device(device, options.precision);
  for (const Profile& profile : options.warm_start) {
    for (const Op op : task.ops) {
      for (const ParameterPoint& point : warm_points(profile, op, limits)) {
        add_valid(points, point, *task.space);
      }
    }
  }
  const std::vector<Profile> built_in = built_in_for(device, options.precision);
  const auto add_built_in = [&](bool of_class) {
    for (const Profile& profile : built_in) {
      for (const KernelRecord& record : profile.kernels) {
        if (record.role != Role::kGemm || record.classes.empty() == of_class) continue;
        add_valid(points, parse_point(record.point), *task.space);
      }
    }
  };
  add_built_in(true);
  add_tuned(points, *task.space, options, device);
  const bool packed = task.name == kPackedTask;
  for (const Op op : task.ops) {
    for (const auto& point : packed ? packed_starting_points(typed) : starting_points(op, typed)) {
      add_valid(points, with_precision(point, options.precision), *task.space);
    }
  }
  add_built_in(false);
  return points;
}

bool any_narrow(const std::vector<GemmShape>& shapes) {
  return std::any_of(shapes.begin(), shapes.end(),
                     [](const GemmShape& shape) { return narrow_side(shape) != Dimension::kNone; });
}

// Returns the number of points in the space; 0 if there are more than any budget could try.
// Counting a large space exactly takes up to half a minute without any visible progress.
double count_valid_points(const Space& space) {
  constexpr int kMaxCounted = 50000;
  int valid = 0;
  space.for_each(
      [&](const ParameterPoint&) { return !StopSignal::requested() && ++valid <= kMaxCounted; });
  return valid <= kMaxCounted ? valid : 0;
}

// Returns the user's restrictions without those for parameters that only the other codelet has.
// Unknown names are kept, so that the space reports them.
std::map<std::string, std::vector<std::string>> restrictions_for(
    Codelet codelet, Codelet other, std::map<std::string, std::vector<std::string>> only) {
  const auto has = [](Codelet which, const std::string& name) {
    const std::vector<Field>& table = fields(which);
    return std::any_of(table.begin(), table.end(),
                       [&](const Field& field) { return field.name == name && !field.required; });
  };
  std::erase_if(only, [&](const auto& restriction) {
    return !has(codelet, restriction.first) && has(other, restriction.first);
  });
  return only;
}

SearchTask gemm_task(std::string name, std::vector<Op> ops, bool packed, const TuneOptions& options,
                     const DeviceInfo& device) {
  SearchTask task;
  task.name = std::move(name);
  task.ops = std::move(ops);
  task.shapes = options.shapes;
  SpaceOptions space;
  space.packed = packed;
  space.fixed = {"multiply_add"};
  const auto any_shape = [&](bool (*helps)(const GemmShape&)) {
    return std::any_of(options.shapes.begin(), options.shapes.end(), helps);
  };
  const bool splits = any_shape(splitting_helps);
  const bool streams = device.side_by_side && any_shape(even_division_helps);
  if (!splits) space.fixed.insert(space.fixed.end(), {"split_k", "work_group_k"});
  if (!streams) space.fixed.emplace_back("stream_k");
  space.only = any_narrow(options.shapes)
                   ? restrictions_for(Codelet::kGemm, Codelet::kGemv, options.only)
                   : options.only;
  task.space = std::make_unique<Space>(
      with_precision(gemm_point(packed ? Op::kNN : task.ops.front()), options.precision),
      device.limits, space);
  if (!options.only.empty()) task.valid = count_valid_points(*task.space);
  task.first = first_points(task, options, device);
  return task;
}

// Returns the tiles that are just large enough for one of the shapes.
std::set<int> min_tile_sizes(const std::vector<GemmShape>& shapes) {
  std::set<int> tiles;
  for (const GemmShape& shape : shapes) {
    const auto extent = static_cast<unsigned>(std::min(shape.m, shape.n));
    tiles.insert(static_cast<int>(std::bit_ceil(extent)));
  }
  return tiles;
}

// Returns all tiles up to the largest of these.
std::vector<std::string> narrow_tiles(const std::vector<GemmShape>& shapes) {
  std::vector<std::string> tiles;
  for (int tile = 1; tile <= *min_tile_sizes(shapes).rbegin(); tile *= 2) {
    tiles.push_back(std::to_string(tile));
  }
  return tiles;
}

void add_first_narrow(SearchTask& task, Op layout_op, Dimension narrow, const TuneOptions& options,
                      const DeviceInfo& device) {
  for (const Profile& profile : options.warm_start) {
    for (const ParameterPoint& point : warm_points(profile, layout_op, device.limits)) {
      add_valid(task.first, point, *task.space);
    }
  }
  add_tuned(task.first, *task.space, options, device);
  const auto points =
      narrow_starting_points(layout_op, narrow, typed_device(device, options.precision));
  for (const int tile : min_tile_sizes(task.shapes)) {
    for (const ParameterPoint& point : points) {
      GemvPoint gemv = std::get<GemvPoint>(point);
      gemv.tile_narrow = tile;
      gemv.precision = options.precision;
      add_valid(task.first, gemv, *task.space);
    }
  }
}

// Returns the search for one op with the layouts of `layout_op`; nullopt if no shape is narrow in
// this dimension.
std::optional<SearchTask> narrow_task(Op op, Op layout_op, Dimension narrow,
                                      const TuneOptions& options, const DeviceInfo& device) {
  SearchTask task;
  task.shapes = narrow_shapes(options.shapes, narrow);
  if (task.shapes.empty()) return std::nullopt;
  task.name = fmt::format("{} narrow {}", to_text(layout_op), to_text(narrow));
  task.ops = {op};
  task.weight = task.shapes.size() == options.shapes.size() ? 1.0 : kNarrowWeight;
  SpaceOptions space;
  space.fixed = {"multiply_add"};
  space.only = restrictions_for(Codelet::kGemv, Codelet::kGemm, options.only);
  space.only.emplace("tile_narrow", narrow_tiles(task.shapes));
  GemvPoint requirement;
  requirement.precision = options.precision;
  requirement.layout_a = op_layout_a(layout_op);
  requirement.layout_b = op_layout_b(layout_op);
  requirement.narrow = narrow;
  task.space = std::make_unique<Space>(requirement, device.limits, space);
  task.valid = options.only.empty() ? 0.0 : count_valid_points(*task.space);
  if (options.starting_points) add_first_narrow(task, layout_op, narrow, options, device);
  return task;
}

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

SearchSetup SearchTask::setup(const TuneOptions& options, const DeviceInfo& device, double budget_s,
                              int most) const {
  SearchSetup setup;
  const double points = valid / options.shards;
  if (options.candidates > 0) {
    setup.kind = valid > 0.0 && points <= most ? StrategyKind::kExhaustive : StrategyKind::kGreedy;
  } else if (valid > 0.0) {
    setup.kind = choose_strategy(points, kSecondsPerCandidate, budget_s);
  }
  if (options.known_only) setup.kind = StrategyKind::kKnown;
  setup.device = device;
  setup.seed = options.seed;
  setup.first = first;
  setup.shard = options.shard;
  setup.shards = options.shards;
  return setup;
}

std::vector<double> task_weights(const std::vector<SearchTask>& tasks) {
  std::vector<double> weights;
  for (const SearchTask& task : tasks) weights.push_back(task.weight);
  return weights;
}

int max_candidates(const TuneOptions& options, const std::vector<SearchTask>& tasks,
                   std::size_t index, int tried_before) {
  if (options.candidates == 0) return std::numeric_limits<int>::max();
  double weight_from_here = 0.0;
  for (std::size_t i = index; i < tasks.size(); ++i) weight_from_here += tasks[i].weight;
  const double share = (options.candidates - tried_before) * tasks[index].weight / weight_from_here;
  return std::max(1, static_cast<int>(std::ceil(share)));
}

std::vector<SearchTask> search_tasks(const TuneOptions& options, const DeviceInfo& device) {
  std::vector<SearchTask> tasks;
  for (const Op op : options.ops) {
    tasks.push_back(gemm_task(std::string(to_text(op)), {op}, false, options, device));
  }
  for (const Op op : options.ops) {
    std::vector<Op> layout_ops = {op};
    const Op other = op_from_layouts(op_layout_a(op), Layout::C());
    const bool is_new =
        std::find(options.ops.begin(), options.ops.end(), other) == options.ops.end();
    if (options.b_prepacked && options.packed && is_new) layout_ops.push_back(other);
    for (const Dimension narrow : {Dimension::kM, Dimension::kN}) {
      for (const Op each : layout_ops) {
        auto task = narrow_task(op, each, narrow, options, device);
        if (task) tasks.push_back(*std::move(task));
      }
    }
  }
  if (options.packed) tasks.push_back(gemm_task(kPackedTask, options.ops, true, options, device));
  return tasks;
}

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
