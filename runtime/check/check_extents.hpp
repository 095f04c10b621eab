// Chooses the sizes of the matrices on which a kernel is checked, from the launch facts of its
// record.
//
// A launch is rounded up to whole work-groups. For some sizes, a launch with wrong facts therefore
// also covers the matrix: with 32 x 32 elements per work-group, 37 x 53 elements need 2 x 2
// work-groups whichever dimension runs along m. The sizes chosen here detect such errors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// Extents of a result.
struct CheckExtents {
  std::int64_t m = 1;
  std::int64_t n = 1;
};

// Returns all variants of the record with m and n exchanged in id_order and tile, without the
// record itself. A kernel that was emitted with such facts may still compute correct products when
// launched with the record's facts, if the launch happens to cover the matrix.
std::vector<KernelRecord> exchanged_facts(const KernelRecord& record);

// True if a kernel with these facts computes all of an m x n result when it is launched with
// `global` work-items.
bool covers(const KernelRecord& record, const std::array<std::size_t, 2>& global, std::int64_t m,
            std::int64_t n);

// Extents of the result (for kPack, kActivation and kSoftmax including padding), multiples of
// `multiple`. They need several work-groups along each dimension, more along one than along the
// other, and no kernel with exchanged facts covers the result. They end within a tile or a
// work-group if `multiple` allows it. The narrow dimension of a kGemv record has the extent of its
// tile.
CheckExtents check_extents(const KernelRecord& record, CheckExtents multiple);

}  // namespace tilewright
