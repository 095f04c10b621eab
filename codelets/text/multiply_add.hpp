// How is a multiply-add spelled in OpenCL C?
#pragma once

#include <string>

namespace tilewright {

// From the simplest on; compilers and devices differ in what they make of them.
enum class MultiplyAdd {
  kExpression,  // a * b + c, contracted or not as the compiler likes
  kMad,         // mad(a, b, c)
  kFma,         // fma(a, b, c): one instruction where there is one, very slow emulation elsewhere
};
inline constexpr MultiplyAdd kMultiplyAdds[] = {MultiplyAdd::kExpression, MultiplyAdd::kMad,
                                                MultiplyAdd::kFma};
const char* to_text(MultiplyAdd);  // "expression", "mad", "fma"

// Text of a * b + c.
std::string multiply_add_text(MultiplyAdd form, const std::string& a, const std::string& b,
                              const std::string& c);

}  // namespace tilewright
