// How does a point become a kernel?
#pragma once

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

// The kernel of a point, ready to launch. Deterministic: equal points give equal text. The argument
// lists are those of the runtime's executor (executor.hpp). Throws std::invalid_argument if the
// point breaks a structural rule (validity.hpp).
KernelRecord emit(const ParameterPoint&);

}  // namespace tilewright
