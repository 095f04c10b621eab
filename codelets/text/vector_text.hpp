// How are vectors of floats spelled in OpenCL C?
//
// Internal to codelets. A vector of width 1 is a float.
#pragma once

#include <string>
#include <vector>

#include "codelets/text/arithmetic_text.hpp"

namespace tilewright {

// "float", "float4" ...
std::string float_type(int width);
// "half", "half4" ...
std::string half_type(int width);
// "0.0f", "(float4)(0.0f)" ...
std::string float_zero(int width);
// Lane `lane` of the variable `name`, which is `width` wide.
std::string float_lane(const std::string& name, int width, int lane);
// The vector of the given lanes; the lane itself if it is one.
std::string float_vector(const std::vector<std::string>& lanes);
// Reads at, or writes `value` to, `address`, a sum of a pointer and offsets.
std::string float_load(int width, const std::string& address);
std::string float_store(int width, const std::string& value, const std::string& address);

}  // namespace tilewright
