// Which candidates look promising before anything is measured?
#pragma once

#include "codelets/point/parameter_point.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

// Useful multiply-adds per instruction of the loop, counted from the point alone: vector
// multiply-adds against those plus loads, the putting together of vectors, staging through local
// memory, barriers and the loop itself; less where lanes idle, for loop bodies so long that they
// take compilers long, and for choices that cost something on every problem to pay on some
// (split_k, group_order ...), and, on a GPU that is known, for what the models of registers and
// caches say (expectation.hpp). Of a gemv point likewise, and less where work-items that run side
// by side read what lies apart. Only fit to order candidates of one codelet: it knows no compiler.
// 1 for all points of the other codelets.
double expected_merit(const ParameterPoint& point, const DeviceInfo& device);

}  // namespace tilewright
