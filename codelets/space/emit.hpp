// Describes and emits the kernel of a point.
#pragma once

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

// Returns the kernel of a point, ready to launch. Deterministic: equal points give equal text. The
// runtime's executor (executor.hpp) defines the argument lists. Throws std::invalid_argument if the
// point violates a structural rule (validity.hpp).
KernelRecord emit(const ParameterPoint&);

// Returns the same record without its source, which is not written. Throws like emit().
KernelRecord describe(const ParameterPoint&);

}  // namespace tilewright
