// The kernel of a step that is no chain.
#pragma once

#include "profiles/kernel_record.hpp"
#include "runtime/net/net_steps.hpp"

namespace tilewright {

// Steps of the same form have the same source: constants that are rows, and columns that are
// selected, are arguments:
//
//   net_step(int m, int n, int terms, Y, ulong offset_y, int ldy
//        [, rows, ulong offset_rows, int ld_rows] [, tables, ulong offset_tables, int ld_tables]
//        , X0, ulong offset_x0, int ldx0 ...)
//
// Y, X0 ... have elements of the precision; rows are floats, tables ints. Everything is computed in
// floats. A work-item computes one element of Y.
KernelRecord step_kernel(const KernelStep& step, Precision precision);

}  // namespace tilewright
