// How many work-items of a kernel are at work on a compute unit at a time?
//
// GPUs share their registers out among work-items: the more registers a kernel needs, the fewer
// work-items there are to hide each other's waiting (Mali-T600 paper, 1.2.2). Pure functions.
#pragma once

#include "codelets/point/gemm_point.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

// Work-items that a compute unit holds of a kernel with so many registers (at least 1); 0: there
// are not as many registers, so that the kernel spills. `gpu` must be known().
int resident_work_items(const GpuFacts& gpu, int registers);

// Registers, of gpu.vector_width floats, that a kernel of the point needs at least: its sums, one k
// tile of both operands, and addresses; a double takes the room of two floats. An estimate from the
// point alone: compilers that load ahead need more.
int expected_registers(const GemmPoint& point, const GpuFacts& gpu);

// Resident work-items of a kernel of the point, by its expected registers; where these are too many
// the fewest that the GPU holds of any kernel.
int expected_residents(const GemmPoint& point, const GpuFacts& gpu);

}  // namespace tilewright
