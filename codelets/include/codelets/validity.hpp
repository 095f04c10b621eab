// Which points can be kernels at all, and which are worth trying on a device?
//
// Each rule is written once, with its reason, and is used by the emitter, the tuner and the docs.
// Structural rules hold everywhere: the emitter refuses a point that breaks one. Device rules
// depend on limits: the tuner does not try a point that breaks one.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "codelets/parameter_point.hpp"
#include "profiles/profile.hpp"

namespace tilewright {

// What a device offers to kernels.
struct SpaceLimits {
  std::int64_t max_work_group_size = 1;                      // work-items
  std::array<std::int64_t, 2> max_work_item_sizes = {1, 1};  // work-items, dimensions 0 and 1
  int register_floats = 64;  // floats a work-item can keep in registers: an estimate, not a query
};

struct Rule {
  std::string_view name;
  std::string_view reason;
  bool structural;  // holds on every device; `limits` is not looked at
  bool (*holds)(const ParameterPoint&, const SpaceLimits&);
};

// All rules, structural ones first.
const std::vector<Rule>& rules();

// The first rule that the point breaks, or nullptr.
const Rule* broken_rule(const ParameterPoint&, const SpaceLimits&);
// The first structural rule that the point breaks, or nullptr.
const Rule* broken_structural_rule(const ParameterPoint&);

// Floats that one work-item of this point holds: its accumulators, and one load of every line of
// both operands.
int floats_held(const ParameterPoint&);

}  // namespace tilewright
