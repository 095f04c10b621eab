#include "runtime/check/check_extents.hpp"

#include <algorithm>
#include <utility>

#include "profiles/round_up.hpp"
#include "runtime/call/group_tile.hpp"
#include "runtime/device/launch.hpp"

namespace tilewright {
namespace {

// More work-groups than any combination of launch facts needs, because a work-group has far fewer
// work-items.
constexpr std::int64_t kMaxGroups = 1 << 14;

// An extent that needs `groups` work-groups, the last of which is incomplete.
std::int64_t ragged(std::int64_t groups, std::int64_t reach, std::int64_t multiple) {
  const std::int64_t whole = groups * reach;
  return round_up(reach > 1 ? whole - 1 : whole, multiple);
}

// Work-items along m and n.
std::array<std::size_t, 2> launched(const KernelRecord& record, CheckExtents extents) {
  // The work-items along n of a softmax kernel share a row.
  return global_size(record, extents.m, record.role == Role::kSoftmax ? 1 : extents.n);
}

bool distinguishes(const KernelRecord& record, const std::vector<KernelRecord>& others,
                   CheckExtents extents) {
  const std::array<std::size_t, 2> global = launched(record, extents);
  return std::none_of(others.begin(), others.end(), [&](const KernelRecord& other) {
    return covers(other, global, extents.m, extents.n);
  });
}

}  // namespace

std::vector<KernelRecord> exchanged_facts(const KernelRecord& record) {
  std::vector<KernelRecord> others;
  for (const IdOrder order : {IdOrder::kNM, IdOrder::kMN, IdOrder::kFlat}) {
    if (order == IdOrder::kFlat && record.role != Role::kActivation) continue;
    for (const bool swap_tile : {false, true}) {
      // The columns of a softmax kernel's tile do not affect its launch.
      if (swap_tile && (record.tile.m == record.tile.n || record.role == Role::kSoftmax)) continue;
      if (order == record.id_order && !swap_tile) continue;
      KernelRecord other;
      other.role = record.role;
      other.narrow = record.narrow;
      other.id_order = order;
      other.tile = record.tile;
      if (swap_tile) std::swap(other.tile.m, other.tile.n);
      others.push_back(std::move(other));
    }
  }
  return others;
}

bool covers(const KernelRecord& record, const std::array<std::size_t, 2>& global, std::int64_t m,
            std::int64_t n) {
  const auto items = [&](int dimension) { return static_cast<std::int64_t>(global.at(dimension)); };
  if (record.id_order == IdOrder::kFlat) return items(0) * record.tile.n >= m * n;
  const bool nm = record.id_order == IdOrder::kNM;
  // The work-items along a narrow dimension share the k steps of one tile.
  const std::int64_t along_m = record.narrow == Dimension::kM ? 1 : items(nm ? 1 : 0);
  const std::int64_t along_n = record.narrow == Dimension::kN ? 1 : items(nm ? 0 : 1);
  if (along_m * record.tile.m < m) return false;
  return record.role == Role::kSoftmax || along_n * record.tile.n >= n;
}

CheckExtents check_extents(const KernelRecord& record, CheckExtents multiple) {
  const std::vector<KernelRecord> others = exchanged_facts(record);
  const auto extents = [&](std::int64_t groups_m, std::int64_t groups_n) {
    CheckExtents chosen{ragged(groups_m, group_tile_m(record), multiple.m),
                        ragged(groups_n, group_tile_n(record), multiple.n)};
    if (record.narrow == Dimension::kM) chosen.m = record.tile.m;
    if (record.narrow == Dimension::kN) chosen.n = record.tile.n;
    // Softmax kernels do not launch more work-groups for longer rows.
    if (record.role == Role::kSoftmax) chosen.n = ragged(2, record.tile.n, multiple.n);
    return chosen;
  };
  for (std::int64_t groups = 2; groups < kMaxGroups; ++groups) {
    for (const CheckExtents chosen : {extents(groups + 1, groups), extents(groups, groups + 1)}) {
      if (distinguishes(record, others, chosen)) return chosen;
    }
  }
  return extents(kMaxGroups, kMaxGroups + 1);
}

}  // namespace tilewright
