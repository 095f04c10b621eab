// The definitions that give the text of a kernel its types.
//
// Generated kernels are written once for all precisions. They use these names:
//
//   REAL, REAL4 ...                      scalars, sums, local memory: float or double
//   ELEMENT                              an element of a matrix in global memory
//   ELEMENT_BYTES                        its size
//   LOAD(p), LOAD4(p) ...                reads elements at p as REAL, REAL4 ...
//   STORE(x, p), STORE4(x, p) ...        writes them
//   LOAD_ALIGNED4(p) ...                 the same for vectors whose address is a multiple of their
//   STORE_ALIGNED4(x, p) ...             size
//
// The source of a kernel holds the definitions that it needs, for its precision: it compiles
// without any other file.
//
// Half precision: what is read becomes a float at once, what is written is rounded to the nearest
// half, ties to even. vload_half and vstore_half belong to OpenCL C 1.0 and need no cl_khr_fp16.
// Partial sums of split k and biases are floats; kernels declare them as REAL and float. Kernels
// with accumulate_k read and multiply values of type half.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// The names above, vectors with each width.
std::vector<std::string> type_names();

// The extension that the kernel's types need, if any, and the definitions of the names for the
// kernel's precision, then an empty line; "" if there are none. Unknown names have no definition.
std::string type_prelude(const KernelRecord&, const std::vector<std::string>& names);

// True if the line defines one of the names for some precision.
bool is_type_definition(std::string_view line);

// The names that a source defines in the lines of its prelude.
std::vector<std::string> defined_names(std::string_view prelude);

}  // namespace tilewright
