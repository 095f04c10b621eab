// Which candidates look promising before anything is measured?
#pragma once

#include "codelets/parameter_point.hpp"

namespace tilewright {

// What the model knows of a device.
struct DeviceHints {
  int native_vector_width = 1;  // floats that a work-item multiplies at once
  int least_work_group = 1;     // work-items below which lanes of the device idle
};

// Useful multiply-adds per instruction of the loop, counted from the point alone: vector
// multiply-adds against those plus loads and the putting together of vectors; less where lanes
// idle. Only fit to order candidates: it knows no caches, no registers, no compiler.
double expected_merit(const ParameterPoint& point, const DeviceHints& hints);

}  // namespace tilewright
