// Generates the OpenCL kernel of a KernelStep.
#pragma once

#include "profiles/device_info.hpp"
#include "profiles/kernel_record.hpp"
#include "runtime/network/steps/network_steps.hpp"

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
// single precision, in vectors of at most `max_vector_width` elements of a row (1, 2, 4, 8 or 16).
// Each work-item computes one vector of Y, or one element if the step is a reduction.
KernelRecord step_kernel(const KernelStep& step, const NetworkSteps& steps, Precision precision,
                         int max_vector_width);

// Returns the widest vector that step kernels use on a device: the native width of a CPU, otherwise
// 4, which all GPUs load at once.
int step_vector_width(const DeviceInfo& device);

}  // namespace tilewright
