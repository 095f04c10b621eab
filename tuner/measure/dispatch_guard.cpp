#include "tuner/measure/dispatch_guard.hpp"

#include <algorithm>
#include <numeric>

#include "tuner/journal/records/shapes.hpp"

namespace tilewright {
namespace {

// share of the limit that a learning launch may use, because the rate may drop with size
constexpr double kLearningShare = 0.25;
constexpr double kWorthLearning = 2.0;  // minimum factor for the flops of the next learning launch
constexpr std::int64_t kMinDepth = 16;  // minimum k of a part

// Returns the largest multiple of `unit` that is at most `most` (a double because it may be huge),
// but at least one unit and at most `extent`.
std::int64_t whole_units(double most, std::int64_t unit, std::int64_t extent) {
  if (most >= static_cast<double>(extent)) return extent;
  const auto units = static_cast<std::int64_t>(most / static_cast<double>(unit));
  return std::min(extent, std::max<std::int64_t>(1, units) * unit);
}

// Returns a part of at most `affordable` flops if possible: first fewer rows; if one row of
// work-groups is still too much, a smaller k; then fewer columns.
GemmShape affordable_part(const GemmShape& whole, const GroupTile& tile, double affordable) {
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  GemmShape part = whole;
  part.m = whole_units(affordable / (2.0 * real(whole.n) * real(whole.k)), tile.rows, whole.m);
  if (flops(part) <= affordable) return part;
  part.k = std::min(
      whole.k, std::max(kMinDepth,
                        whole_units(affordable / (2.0 * real(part.m) * real(part.n)), 1, whole.k)));
  if (flops(part) <= affordable) return part;
  part.n = whole_units(affordable / (2.0 * real(part.m) * real(part.k)), tile.columns, whole.n);
  return part;
}

}  // namespace

GroupTile group_tile(const KernelRecord& record) {
  const bool nm = record.id_order == IdOrder::kNM;
  const auto unit = [&](int tile, int work_items, int multiple) {
    const std::int64_t whole =
        std::lcm(std::int64_t{tile} * std::max(1, work_items), std::int64_t{record.alignment});
    return std::lcm(whole, std::int64_t{std::max(1, multiple)});
  };
  return {unit(record.tile.m, record.work_group[nm ? 1 : 0], record.multiples.m),
          unit(record.tile.n, record.work_group[nm ? 0 : 1], record.multiples.n)};
}

DispatchStep next_step(const GemmShape& whole, const GroupTile& tile, const LearnedRate& rate,
                       double max_dispatch_ns) {
  using Kind = DispatchStep::Kind;
  if (flops(whole) == 0.0) return {Kind::kMeasure, whole, 0.0};
  if (!(rate.flops > 0.0)) {
    return {Kind::kLearn,
            {std::min(whole.m, tile.rows), std::min(whole.n, tile.columns),
             std::min(whole.k, kMinDepth)},
            0.0};
  }
  const auto expected = [&](const GemmShape& part) { return rate.ns_per_flop * flops(part); };
  if (expected(whole) <= max_dispatch_ns) return {Kind::kMeasure, whole, expected(whole)};
  const GemmShape more =
      affordable_part(whole, tile, kLearningShare * max_dispatch_ns / rate.ns_per_flop);
  if (flops(more) >= kWorthLearning * rate.flops &&
      expected(more) <= kLearningShare * max_dispatch_ns) {
    return {Kind::kLearn, more, expected(more)};
  }
  GemmShape row = whole;
  row.m = std::min(whole.m, tile.rows);
  if (expected(row) > max_dispatch_ns) return {Kind::kTooSlow, row, expected(row)};
  GemmShape slice = whole;
  slice.m =
      whole_units(max_dispatch_ns / expected(row) * static_cast<double>(row.m), tile.rows, whole.m);
  return {Kind::kMeasure, slice, expected(slice)};
}

}  // namespace tilewright
