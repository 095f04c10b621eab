// How freely may a compiler treat a kernel's text?
//
// Choices that leave what a kernel computes as it is, but for its rounding: each may pay on one
// driver and do nothing, or harm, on the next.
#pragma once

#include <string>

#include "activations/activation.hpp"

namespace tilewright {

// What the compiler may do to arithmetic.
enum class Math {
  kExact,  // nothing beyond OpenCL's rules
  kMad,    // -cl-mad-enable: a * b + c with any rounding in between
  kFast,   // -cl-fast-relaxed-math: besides, it may take it that there is no NaN and no infinity
};
inline constexpr Math kMaths[] = {Math::kExact, Math::kMad, Math::kFast};
const char* to_text(Math);        // "exact", "mad", "fast"
const char* build_options(Math);  // of KernelRecord

// Which function stands for exp() in activations.
enum class Exponential {
  kExp,     // exp(): within 3 units in the last place
  kNative,  // native_exp(): as the driver likes
  kHalf,    // half_exp(): within 8192 units
};
inline constexpr Exponential kExponentials[] = {Exponential::kExp, Exponential::kNative,
                                                Exponential::kHalf};
const char* to_text(Exponential);      // "exp", "native", "half"
const char* function_of(Exponential);  // "exp", "native_exp", "half_exp"
// Does its text call exp()? tanh() and expm1() have no such forms.
bool has_exponential(Activation);

// Who decides how large work-groups are.
enum class GroupSize {
  kRequired,  // the point, and the compiler relies on it: reqd_work_group_size
  kHint,      // the point, and the compiler is told: work_group_size_hint
  kDriver,    // the driver, at each launch
};
inline constexpr GroupSize kGroupSizes[] = {GroupSize::kRequired, GroupSize::kHint,
                                            GroupSize::kDriver};
const char* to_text(GroupSize);  // "required", "hint", "driver"

}  // namespace tilewright
