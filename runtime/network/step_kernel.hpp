// Generates the OpenCL kernel of a KernelStep.
#pragma once

#include "profiles/kernel_record.hpp"
#include "runtime/network/network_steps.hpp"

namespace tilewright {

// Returns the kernel. Constant rows and selected columns are kernel arguments, so steps with the
// same expression share one source:
//
//   network_step(int m, int n, int terms, Y, ulong offset_y, int ldy
//        [, rows, ulong offset_rows, int ld_rows] [, tables, ulong offset_tables, int ld_tables]
//        , X0, ulong offset_x0, int ldx0 ...)
//
// Y and X0 ... have the precisions that `steps`, to which the step belongs, has for them in a
// network of the given precision; rows are floats, tables are ints. Expressions are computed in
// single precision. Each work-item computes one element of Y.
KernelRecord step_kernel(const KernelStep& step, const NetworkSteps& steps, Precision precision);

}  // namespace tilewright
