// How vectors, and accesses to memory, are spelled in OpenCL C.
//
// Internal to codelets. Texts are written once for all precisions, with the type names of
// profiles/type_prelude.hpp. A vector of width 1 is a scalar. An address is a pointer or a sum of
// one and offsets.
#pragma once

#include <string>
#include <vector>

#include "codelets/text/arithmetic_text.hpp"

namespace tilewright {

// "REAL", "REAL4" ...
std::string real_type(int width);
// "half", "half4" ...
std::string half_type(int width);
// "0.0f", "(REAL4)(0.0f)" ...
std::string real_zero(int width);
// Lane `lane` of the variable `name`, which is `width` wide.
std::string lane_text(const std::string& name, int width, int lane);
// The vector of the given lanes; the lane itself if it is one.
std::string real_vector(const std::vector<std::string>& lanes);

// Reads elements of a matrix in global memory as REAL, or writes them. `aligned`: the address is a
// multiple of the vector's size.
std::string matrix_load(int width, const std::string& address, bool aligned = false);
std::string matrix_store(int width, const std::string& value, const std::string& address,
                         bool aligned = false);

// Reads or writes values in the type that they have in memory: local memory, biases, partial sums.
std::string plain_load(int width, const std::string& address);
std::string plain_store(int width, const std::string& value, const std::string& address);
// The same through a pointer to a vector of that type, in an address space such as "__local".
std::string aligned_load(int width, const std::string& type, const char* space,
                         const std::string& address);

}  // namespace tilewright
