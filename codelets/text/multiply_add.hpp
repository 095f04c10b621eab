// The forms in which kernels write a multiply-add.
#pragma once

#include <string>

namespace tilewright {

// Simplest first. The forms differ in speed between compilers and devices.
enum class MultiplyAdd {
  kExpression,  // a * b + c; the compiler decides whether to contract it
  kMad,         // mad(a, b, c)
  kFma,         // fma(a, b, c): one instruction on most devices, very slow emulation on others
};
inline constexpr MultiplyAdd kMultiplyAdds[] = {MultiplyAdd::kExpression, MultiplyAdd::kMad,
                                                MultiplyAdd::kFma};
const char* to_text(MultiplyAdd);  // "expression", "mad", "fma"

// Text of a * b + c in the given form. The operands must be names or primary expressions.
std::string multiply_add_text(MultiplyAdd form, const std::string& a, const std::string& b,
                              const std::string& c);

}  // namespace tilewright
