// CLHPP, the C++ classes of OpenCL.
//
// Its functions are inline. If a program that is linked with the static library uses CLHPP, too,
// the linker would keep one definition of each function, perhaps the program's, which throws
// exceptions (CL_HPP_ENABLE_EXCEPTIONS). Therefore this project has CLHPP in a namespace of its
// own; `cl` is another name of it.
#pragma once

#define cl tilewright_cl
#include <CL/opencl.hpp>
#undef cl

namespace cl = tilewright_cl;
