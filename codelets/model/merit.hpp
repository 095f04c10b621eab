// Which candidates look promising before anything is measured?
#pragma once

#include "codelets/model/gpu_facts.hpp"
#include "codelets/point/parameter_point.hpp"

namespace tilewright {

// What the model knows of a device.
struct DeviceHints {
  int native_vector_width = 1;  // floats (half as many doubles) that a work-item multiplies at once
  int least_work_group = 1;     // work-items below which lanes of the device idle
  // Work-items of a work-group run side by side (GPUs), not one after the other (CPUs).
  bool side_by_side = false;
  bool local_memory_is_dedicated = false;
  // Vector registers of a work-item, each of which holds one vector however narrow: CPUs. 0:
  // others, where what a work-item can hold is counted in floats (SpaceLimits).
  int vector_registers = 0;
  // Of a GPU that is known: what the models of registers and caches need.
  GpuFacts gpu = {};
  bool operator==(const DeviceHints&) const = default;
};

// Useful multiply-adds per instruction of the loop, counted from the point alone: vector
// multiply-adds against those plus loads, the putting together of vectors, staging through local
// memory, barriers and the loop itself; less where lanes idle, for loop bodies so long that they
// take compilers long, and for choices that cost something on every problem to pay on some
// (split_k, group_order ...), and, on a GPU that is known, for what the models of registers and
// caches say (expectation.hpp). Of a gemv point likewise, and less where work-items that run side
// by side read what lies apart. Only fit to order candidates of one codelet: it knows no compiler.
// 1 for all points of the other codelets.
double expected_merit(const ParameterPoint& point, const DeviceHints& hints);

}  // namespace tilewright
