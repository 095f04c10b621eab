// Estimates how many work-items of a kernel are resident on a compute unit at the same time.
//
// A GPU divides its registers among work-items. The more registers a kernel needs, the fewer
// work-items are resident to hide each other's latencies (Mali-T600 paper, 1.2.2). All functions
// are pure.
#pragma once

#include "codelets/point/gemm_point.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

// Returns how many work-items of a kernel a compute unit can hold at the same time. `registers` is
// their number per work-item, at least 1; a register has gpu.vector_width floats. Returns 0 if a
// work-item cannot have so many registers, so that the kernel spills. `gpu` must be known().
int resident_work_items(const GpuFacts& gpu, int registers);

// Estimated minimum number of registers, each of gpu.vector_width floats, for the point's
// accumulators, one k tile of both operands, and addresses. A double counts as two floats.
// Compilers that load ahead use more.
int expected_registers(const GemmPoint& point, const GpuFacts& gpu);

// Number of resident work-items of the point's kernel, from its expected registers. If it needs too
// many registers, returns the smallest number that the GPU supports for any kernel.
int expected_residents(const GemmPoint& point, const GpuFacts& gpu);

}  // namespace tilewright
