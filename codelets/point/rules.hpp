// The tables of rules of all codelets.
//
// Internal to codelets; other modules use validity.hpp.
#pragma once

#include "codelets/point/validity.hpp"

namespace tilewright {

// The rules of each codelet, structural rules first.
std::vector<Rule> gemm_rules();
std::vector<Rule> gemv_rules();
std::vector<Rule> pack_rules();
std::vector<Rule> reduce_rules();
std::vector<Rule> activation_rules();
std::vector<Rule> softmax_rules();

// True if work-groups of x by y work-items (dimensions 0 and 1) are within the device's limits.
bool work_group_fits(int x, int y, const SpaceLimits&);
inline constexpr std::string_view kWorkGroupFits = "work_group_fits";
inline constexpr std::string_view kWorkGroupFitsReason =
    "the work-group exceeds the limits of the device";

// Name and reason of the rule for group_size=driver, which several codelets share.
inline constexpr std::string_view kDriverChoosesFreely = "driver_chooses_freely";
inline constexpr std::string_view kDriverChoosesFreelyReason =
    "if the driver chooses the work-group, its size cannot be chosen, and the kernel must not "
    "depend on it (barriers, shared k, order of the work-items)";

// native_exp() and half_exp() are choices only if the kernel calls exp(). Used by several codelets.
Rule exponential_is_called();

// Images need single precision; network layers (bias, activation) need single or half precision.
// `reads`: which of the parameters precision, images, bias and activation the codelet has.
Rule images_and_networks_have_type(std::vector<std::string_view> reads);

// The device supports vectors as wide as the point's. The same rule for all codelets.
Rule vector_is_taken();

}  // namespace tilewright
