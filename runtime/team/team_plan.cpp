#include "runtime/team/team_plan.hpp"

#include <algorithm>

#include "runtime/team/split.hpp"

namespace tilewright {
namespace {

// Time to start members in addition to the first one and to wait for them, before it is measured.
constexpr double kJoinSeconds = 50e-6;
// The other axis of C is considered if there are fewer granules than this along the lines.
constexpr std::int64_t kFewGranules = 16;
// k is considered if C has at most this many elements, and k at least this many steps.
constexpr std::size_t kMaxPartialSum = std::size_t{256} * 256;
constexpr std::size_t kMinStepsToSplit = 1024;
constexpr std::int64_t kStepGranule = 32;
constexpr double kSecondsPerAddedElement = 1e-9;
// Another axis must be faster by this factor, because its parts of C are copied.
constexpr double kPreferLines = 0.95;

GemmCall measured_call(const TeamResult& result) {
  return {.m = static_cast<std::size_t>(result.shape.m),
          .n = static_cast<std::size_t>(result.shape.n),
          .k = static_cast<std::size_t>(result.shape.k),
          .type = result.type};
}

// The predicted times of all members for parts of products.
class Forecast {
 public:
  explicit Forecast(const TeamBasis& basis) : basis_(basis), scales_(basis.members.size()) {
    if (basis.measured == nullptr) return;
    const GemmCall call = measured_call(*basis.measured);
    const std::vector<std::int64_t> parts =
        measured_parts(basis.measured->shape, basis.measured->alone_gflops);
    double longest = 0.0;
    for (std::size_t i = 0; i < scales_.size(); ++i) {
      if (basis.measured->alone_gflops[i] <= 0.0) continue;
      const double alone = scale(i, call, basis.measured->alone_gflops[i]);
      scales_[i] = {alone, alone};
      if (parts[i] == 0) continue;
      const GemmCall part =
          part_call(call, {line_axis(call), 0, static_cast<std::size_t>(parts[i])});
      const double rate = basis.measured->together_gflops[i];
      scales_[i]->shared = scale(i, part, rate);
      longest = std::max(longest, num_gflop(part) / rate);
    }
    join_seconds_ = std::max(0.0, num_gflop(call) / basis.measured->team_gflops - longest);
  }

  double join_seconds() const { return join_seconds_; }

  double seconds(std::size_t member, const GemmCall& call, bool is_shared) const {
    if (const auto known = known_seconds(member, call, is_shared)) return *known;
    double rates = 0.0;
    int num_known = 0;
    for (const std::size_t other : basis_.usable) {
      const auto known = known_seconds(other, call, is_shared);
      if (!known) continue;
      rates += 1.0 / *known;
      ++num_known;
    }
    return num_known == 0 ? num_gflop(call) : num_known / rates;
  }

  double transfer_seconds(std::size_t member, const GemmCall& call) const {
    const auto predicted = basis_.members[member]->predict(call, basis_.in_host_memory);
    return predicted ? predicted->transfer_seconds * scales_[member].value_or(Scale()).alone : 0.0;
  }

 private:
  struct Scale {  // measured relative to predicted time
    double alone = 1.0;
    double shared = 1.0;
  };

  // Without a prediction, time is in proportion to the work.
  double scale(std::size_t member, const GemmCall& call, double measured_gflops) const {
    const auto predicted = basis_.members[member]->predict(call, true);
    const double base = predicted ? predicted->seconds : num_gflop(call);
    return num_gflop(call) / measured_gflops / base;
  }

  std::optional<double> known_seconds(std::size_t member, const GemmCall& call,
                                      bool is_shared) const {
    const auto& scale = scales_[member];
    const auto predicted = basis_.members[member]->predict(call, basis_.in_host_memory);
    if (!predicted && !scale) return std::nullopt;
    const double base = predicted ? predicted->seconds : num_gflop(call);
    return scale ? base * (is_shared ? scale->shared : scale->alone) : base;
  }

  const TeamBasis& basis_;
  std::vector<std::optional<Scale>> scales_;  // by member; nullopt: not measured
  double join_seconds_ = kJoinSeconds;
};

// Multiples of the largest tile of the members' kernels leave no work-group partly idle.
std::int64_t choose_granule(const TeamBasis& basis, const GemmCall& call, SplitAxis axis) {
  std::int64_t granule = axis == SplitAxis::kK ? kStepGranule : 1;
  for (const std::size_t member : basis.usable) {
    const auto predicted = basis.members[member]->predict(call, basis.in_host_memory);
    if (!predicted || axis == SplitAxis::kK) continue;
    const std::size_t tile = axis == SplitAxis::kM ? predicted->tile_m : predicted->tile_n;
    granule = std::max(granule, static_cast<std::int64_t>(tile));
  }
  // Parts of unequal members need some choice.
  const auto members = static_cast<std::int64_t>(basis.usable.size());
  const auto extent = static_cast<std::int64_t>(axis_extent(call, axis));
  while (granule > 1 && granule * 8 * members > extent) granule /= 2;
  return granule;
}

bool may_split_k(const TeamBasis& basis, const GemmCall& call) {
  return basis.in_host_memory && call.type != ElementType::kHalf && call.alpha != 0.0 &&
         call.m * call.n <= kMaxPartialSum && call.k >= kMinStepsToSplit;
}

TeamPlan plan_along(SplitAxis axis, std::int64_t granule, const TeamBasis& basis,
                    const Forecast& forecast, const GemmCall& call) {
  const auto part_of_call = [&](std::int64_t size) {
    return part_call(call, {axis, 0, static_cast<std::size_t>(size)});
  };
  const auto part_seconds = [&](std::size_t i, std::int64_t size, bool is_shared) {
    return forecast.seconds(basis.usable[i], part_of_call(size), is_shared);
  };
  double join_seconds = forecast.join_seconds();
  if (axis == SplitAxis::kK) {
    join_seconds +=
        kSecondsPerAddedElement * static_cast<double>(call.m) * static_cast<double>(call.n);
  }
  const auto extent = static_cast<std::int64_t>(axis_extent(call, axis));
  const Split split =
      choose_split(basis.usable.size(), part_seconds, join_seconds, extent, granule);
  const auto num_parts = std::count_if(split.parts.begin(), split.parts.end(),
                                       [](std::int64_t part) { return part > 0; });
  TeamPlan plan{axis, {}, split.seconds};
  for (std::size_t i = 0; i < split.parts.size(); ++i) {
    const std::int64_t size = split.parts[i];
    plan.parts.push_back({size, size == 0 ? 0.0 : part_seconds(i, size, num_parts > 1),
                          forecast.seconds(basis.usable[i], call, false),
                          forecast.transfer_seconds(basis.usable[i], call)});
  }
  return plan;
}

}  // namespace

std::vector<std::int64_t> measured_parts(const GemmShape& shape,
                                         const std::vector<double>& alone_gflops) {
  return split_by_shares(alone_gflops, shape.m);
}

TeamPlan plan_product(const TeamBasis& basis, const GemmCall& call) {
  const Forecast forecast(basis);
  const auto plan = [&](SplitAxis axis) {
    return plan_along(axis, choose_granule(basis, call, axis), basis, forecast, call);
  };
  if (basis.axis) return plan(*basis.axis);
  const SplitAxis lines = line_axis(call);
  TeamPlan best = plan(lines);
  if (basis.usable.size() < 2) return best;
  double limit = kPreferLines * best.seconds;
  const auto consider = [&](SplitAxis axis) {
    TeamPlan other = plan(axis);
    if (other.seconds >= limit) return;
    limit = other.seconds;
    best = std::move(other);
  };
  const auto num_lines = static_cast<std::int64_t>(axis_extent(call, lines));
  if (num_lines < kFewGranules * choose_granule(basis, call, lines)) {
    consider(lines == SplitAxis::kM ? SplitAxis::kN : SplitAxis::kM);
  }
  if (may_split_k(basis, call)) consider(SplitAxis::kK);
  return best;
}

}  // namespace tilewright
