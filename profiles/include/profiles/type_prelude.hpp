// Type definitions for the text of kernels.
//
// Generated kernels are written once for all precisions. They use these names:
//
//   REAL, REAL4 ...                      scalars, sums, local memory: float or double
//   ELEMENT                              an element of a matrix in global memory
//   ELEMENT_BYTES                        its size
//   LOAD(p), LOAD4(p) ...                loads elements at p as REAL, REAL4 ...
//   STORE(x, p), STORE4(x, p) ...        stores them
//   LOAD_ALIGNED4(p) ...                 the same for vectors whose address is a multiple of their
//   STORE_ALIGNED4(x, p) ...             size
//
// The source of a kernel contains the definitions that it needs for its precision, so it compiles
// without any other file.
//
// Half precision: loaded values are converted to float at once, stored values are rounded to the
// nearest half-precision number, ties to even. vload_half and vstore_half are part of OpenCL C 1.0
// and do not need cl_khr_fp16. Partial sums of split k and biases are floats; kernels declare them
// as REAL and float. Kernels with accumulate_k load and multiply values of type half.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiles/kernel_record.hpp"

namespace tilewright {

// The names above, including all vector widths.
std::vector<std::string> type_names();

// Returns the extension pragma that the kernel's types need, if any, and the definitions of the
// names for the kernel's precision, followed by an empty line. Returns "" if there are none.
// Unknown names are ignored.
std::string type_prelude(const KernelRecord&, const std::vector<std::string>& names);

// True if the line is the definition of one of type_names() for any precision.
bool is_type_definition(std::string_view line);

// The names that a source defines in the lines of its prelude.
std::vector<std::string> defined_names(std::string_view prelude);

}  // namespace tilewright
