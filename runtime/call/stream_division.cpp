#include "runtime/call/stream_division.hpp"

#include <algorithm>
#include <limits>

#include "profiles/round_up.hpp"
#include "runtime/call/group_tile.hpp"

namespace tilewright {
namespace {

// More parts would take longer to add up than they save.
constexpr std::int64_t kMaxParts = 16;
// Minimum k steps of a part on average. A work-group needs a few iterations before its loads and
// multiplications overlap.
constexpr std::int64_t kMinSteps = 64;

// True if a wave with this many tiles takes about as long as it would if they were shared.
bool is_almost_full(std::int64_t tiles, std::int64_t groups_at_once) {
  return 8 * tiles > 7 * groups_at_once;
}

}  // namespace

double StreamDivision::share() const {
  const auto parts = static_cast<double>(num_parts);
  if (shared_tiles() == 0) return 0.0;
  if (sharing_groups == shared_tiles() * num_parts) return 1.0 / parts;
  return std::max(static_cast<double>(shared_tiles()) / static_cast<double>(sharing_groups),
                  1.0 / (parts - 1.0));
}

StreamDivision undivided(const KernelRecord& record, const GemmShape& shape) {
  StreamDivision division;
  division.tiles_m = division.direct_tiles_m = quotient_up(shape.m, group_tile_m(record));
  division.tiles_n = quotient_up(shape.n, group_tile_n(record));
  division.first_shared_row = shape.m;
  return division;
}

StreamDivision divide(const KernelRecord& record, const GemmShape& shape,
                      std::int64_t groups_at_once) {
  StreamDivision division = undivided(record, shape);
  const std::int64_t tiles = division.whole_tiles();
  division.waves = static_cast<double>(quotient_up(tiles, groups_at_once));
  const std::int64_t rest = tiles % groups_at_once;
  const std::int64_t max_parts = std::min(kMaxParts, shape.k / kMinSteps);
  const bool is_narrow = std::min(shape.m, shape.n) < record.vector_width;
  if (rest == 0 || is_narrow || max_parts < 2 || is_almost_full(rest, groups_at_once)) {
    return division;
  }
  constexpr std::int64_t kMaxShared = 8;  // per tile of the last wave
  const std::int64_t direct_tiles_m = (tiles - rest) / division.tiles_n;
  const std::int64_t shared = tiles - direct_tiles_m * division.tiles_n;
  if (shared > kMaxShared * rest) return division;
  // Parts that end with their tile are better than parts of two tiles, unless many work-groups
  // would get none.
  const std::int64_t equal = std::min(groups_at_once / shared, max_parts);
  const bool is_equal =
      equal >= 2 && (equal == max_parts || 10 * equal * shared >= 9 * groups_at_once);
  if (!is_equal && max_parts < 3) return division;
  division.direct_tiles_m = direct_tiles_m;
  division.waves =
      static_cast<double>(division.whole_tiles()) / static_cast<double>(groups_at_once);
  division.first_shared_row = direct_tiles_m * group_tile_m(record);
  division.num_parts =
      is_equal ? equal : std::min(max_parts, quotient_up(groups_at_once, shared) + 1);
  division.sharing_groups =
      std::min(is_equal ? equal * shared : groups_at_once, shared * division.num_parts);
  return division;
}

StreamDivision divide_for_units(const KernelRecord& record, const GemmShape& shape,
                                int compute_units) {
  return divide(record, shape, std::int64_t{std::max(compute_units, 1)} * record.stream_k);
}

PartialProducts partial_products(const StreamDivision& division) {
  return {division.first_shared_row, division.shared_tiles() > 0 ? division.num_parts : 0};
}

bool can_divide(const KernelRecord& record, const GemmShape& shape) {
  const StreamDivision whole = undivided(record, shape);
  const double blocks = static_cast<double>(shape.k) + kMaxParts;  // at least one step each
  return 2.0 * static_cast<double>(whole.tiles_m) * static_cast<double>(whole.tiles_n) * blocks <
         static_cast<double>(std::numeric_limits<int>::max());
}

}  // namespace tilewright
