// Scores candidates before anything is measured.
#pragma once

#include "codelets/point/parameter_point.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

// Score of a point, computed without compiling it: useful multiply-adds per instruction of the
// loop. Instructions are the vector multiply-adds, loads, assembly of vectors, copies to local
// memory, barriers and the loop itself. The score is reduced for idle lanes, for loop bodies that
// are slow to compile, for features that cost something on every problem but help only on some
// (split_k, group_order ...), and, if the GPU's facts are known, by the models of registers and
// caches (expectation.hpp). The score of a gemv point is similar; it is reduced if work-items that
// run in parallel read elements that are far apart. The score of other codelets is 1. Use it only
// to order candidates of one codelet: it ignores the compiler.
double expected_score(const ParameterPoint& point, const DeviceInfo& device);

}  // namespace tilewright
