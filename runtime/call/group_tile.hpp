// The part of C that a work-group of a kernel computes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// Rows and columns of the tile of a work-group.
inline std::int64_t group_tile_m(const KernelRecord& record) {
  return std::int64_t{record.tile.m} *
         std::max(record.work_group[record.id_order == IdOrder::kMN ? 0 : 1], 1);
}
inline std::int64_t group_tile_n(const KernelRecord& record) {
  return std::int64_t{record.tile.n} *
         std::max(record.work_group[record.id_order == IdOrder::kMN ? 1 : 0], 1);
}

}  // namespace tilewright
