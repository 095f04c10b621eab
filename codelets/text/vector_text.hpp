// OpenCL C text of vectors, loads and stores.
//
// Internal to codelets. Kernels are written once for all precisions, with the type names of
// profiles/type_prelude.hpp. A vector of width 1 is a scalar. An address is a pointer, or a sum of
// a pointer and offsets.
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
// Element number `lane` of the variable `name`, a vector of `width` elements.
std::string lane_text(const std::string& name, int width, int lane);
// A vector made of the given elements; a single element is returned unchanged.
std::string real_vector(const std::vector<std::string>& lanes);

// Loads elements of a matrix from global memory and converts them to REAL; matrix_store converts
// and stores. `aligned`: the address is a multiple of the vector's size.
std::string matrix_load(int width, const std::string& address, bool aligned = false);
std::string matrix_store(int width, const std::string& value, const std::string& address,
                         bool aligned = false);

// Loads and stores values without conversion: in local memory, biases, partial sums.
std::string plain_load(int width, const std::string& address);
std::string plain_store(int width, const std::string& value, const std::string& address);
// Like plain_load, through a pointer to a vector of `type`. `space` is an address space such as
// "__local".
std::string aligned_load(int width, const std::string& type, const char* space,
                         const std::string& address);

}  // namespace tilewright
