// Parameters that control how freely the compiler treats a kernel.
//
// They change the result by no more than rounding. Each may be faster with one driver and useless
// or slower with another.
#pragma once

#include <string>

#include "profiles/activation.hpp"

namespace tilewright {

// Which arithmetic transformations the compiler may apply.
enum class Math {
  kExact,  // only those that OpenCL always permits
  kMad,    // -cl-mad-enable: a * b + c may be rounded in any way
  kFast,   // -cl-fast-relaxed-math: also assumes that there are no NaNs and no infinities
};
inline constexpr Math kMaths[] = {Math::kExact, Math::kMad, Math::kFast};
const char* to_text(Math);        // "exact", "mad", "fast"
const char* build_options(Math);  // value of KernelRecord::build_options

// Function that replaces exp() in activations. (ulp: unit in the last place)
enum class Exponential {
  kExp,     // exp(): error up to 3 ulp
  kNative,  // native_exp(): error defined by the driver
  kHalf,    // half_exp(): error up to 8192 ulp
};
inline constexpr Exponential kExponentials[] = {Exponential::kExp, Exponential::kNative,
                                                Exponential::kHalf};
const char* to_text(Exponential);               // "exp", "native", "half"
const char* exponential_function(Exponential);  // "exp", "native_exp", "half_exp"
// True if the activation's text calls exp(). tanh() and expm1() have no native or half variants.
bool has_exponential(Activation);

// Who chooses the size of work-groups.
enum class GroupSize {
  kRequired,  // the point; the compiler may rely on it (reqd_work_group_size)
  kHint,      // the point; the compiler gets it as a hint (work_group_size_hint)
  kDriver,    // the driver, at each launch
};
inline constexpr GroupSize kGroupSizes[] = {GroupSize::kRequired, GroupSize::kHint,
                                            GroupSize::kDriver};
const char* to_text(GroupSize);  // "required", "hint", "driver"

}  // namespace tilewright
