// Describes and emits the kernel of a point.
#pragma once

#include <string>

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

// Returns the kernel of a point, ready to launch. Deterministic: equal points give equal text. The
// runtime's executor (executor.hpp) defines the argument lists. Throws std::invalid_argument if the
// point violates a structural rule (validity.hpp).
KernelRecord emit(const ParameterPoint&);

// Returns the same record without its source, which is not written. Throws like emit().
KernelRecord describe(const ParameterPoint&);

// Returns the source of the kernel that emit() returns, with a comment that explains the names of
// its variables. Stored kernels do not have it, so that profiles and programs are smaller. Throws
// like emit().
std::string explained_source(const ParameterPoint&);

}  // namespace tilewright
