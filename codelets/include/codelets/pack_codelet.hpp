// How is an operand brought into another layout?
//
// One kernel: a matrix stored column by column (layout C) becomes one stored row by row (layout R),
// which is the transposition that serves TT. The argument list is the runtime's pack launch
// (executor.hpp):
//
//   (int m, int n, in, ulong offset_in, int ld_in, out, ulong offset_out, int ld_out)
//
// m and n are rows and columns of the logical matrix. Offsets and leading dimensions count
// elements.
#pragma once

#include "profiles/kernel_record.hpp"

namespace tilewright {

struct PackPoint {
  int tile = 4;        // a work-item moves tile x tile elements; 1, 2, 4, 8 or 16
  int work_group = 8;  // work_group x work_group work-items
};

// The kernel of a point. Throws std::invalid_argument for values outside the ones above.
KernelRecord emit_pack(const PackPoint&);

}  // namespace tilewright
