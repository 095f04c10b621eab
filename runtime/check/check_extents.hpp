// Sizes of the matrices on which a kernel is checked, chosen from the launch facts of its record.
//
// A launch rounds up to whole work-groups. On unlucky sizes a launch with wrong facts therefore
// covers the matrix, too: with 32 x 32 elements per work-group, 37 x 53 elements need 2 x 2
// work-groups whichever dimension runs along m. The sizes below leave no such doubt.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiles/kernel_record.hpp"

namespace tilewright {

struct CheckExtents {
  std::int64_t m = 1;
  std::int64_t n = 1;
};

// Every way to exchange m and n in the record's id_order and tile, without the record itself. A
// kernel that was emitted with such facts may still compute right products when it is launched with
// the record's, if the launch happens to cover the matrix.
std::vector<KernelRecord> exchanged_facts(const KernelRecord& record);

// True if a kernel with these facts computes all of an m x n result when it is launched with
// `global` work-items.
bool covers(const KernelRecord& record, const std::array<std::size_t, 2>& global, std::int64_t m,
            std::int64_t n);

// Extents of the result (for kPack, kActivation and kSoftmax: with padding), multiples of
// `multiple`, that need several work-groups along each dimension, more along one than along the
// other, and on which no kernel with exchanged facts covers the result. They end within a tile or a
// work-group where `multiple` allows it. The narrow dimension of a kGemv record has the extent of
// its tile.
CheckExtents check_extents(const KernelRecord& record, CheckExtents multiple);

}  // namespace tilewright
