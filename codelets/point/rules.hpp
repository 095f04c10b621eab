// The codelets' tables of rules.
//
// Internal to codelets; read through validity.hpp.
#pragma once

#include "codelets/point/validity.hpp"

namespace tilewright {

std::vector<Rule> gemm_rules();
std::vector<Rule> gemv_rules();
std::vector<Rule> pack_rules();
std::vector<Rule> reduce_rules();
std::vector<Rule> activation_rules();
std::vector<Rule> softmax_rules();

// The device's work-group limits, for work-groups of x by y work-items in dimensions 0 and 1.
bool work_group_fits(int x, int y, const SpaceLimits&);
inline constexpr std::string_view kWorkGroupFits = "work_group_fits";
inline constexpr std::string_view kWorkGroupFitsReason = "the device's work-group limits";

inline constexpr std::string_view kDriverChoosesFreely = "driver_chooses_freely";
inline constexpr std::string_view kDriverChoosesFreelyReason =
    "where the driver chooses work-groups, their extent is no choice, and the text must not depend "
    "on it: no barriers, no shares of k, the order in which ids run";

// Of two codelets and more: native_exp() and half_exp() stand where exp() would.
Rule exponential_is_called();

// Pixels are of floats, networks of floats or halfs. `reads`: the codelet's parameters among
// precision, images, bias and activation.
Rule images_and_nets_have_type(std::vector<std::string_view> reads);

// The device takes vectors as wide as the point's: the same rule for every codelet.
Rule vector_is_taken();

}  // namespace tilewright
