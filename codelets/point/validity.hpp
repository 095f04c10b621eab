// Which points can be kernels at all, and which are worth trying on a device?
//
// Each rule is written once, with its reason, and is used by the emitters, the tuner, `tilewright
// space` and the docs. Structural rules hold everywhere: an emitter refuses a point that breaks
// one. Device rules depend on limits: the tuner does not try a point that breaks one.
#pragma once

#include <string_view>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

struct Rule {
  std::string_view name;
  std::string_view reason;  // why a point that breaks it is left out: a clause
  bool structural;          // holds on every device; `limits` is not looked at
  // The parameters that it looks at: it can be decided as soon as these have values.
  std::vector<std::string_view> reads;
  bool (*holds)(const ParameterPoint&, const SpaceLimits&);
};

// All rules of a codelet, structural ones first.
const std::vector<Rule>& rules(Codelet);

// The first rule that the point breaks, or nullptr.
const Rule* broken_rule(const ParameterPoint&, const SpaceLimits&);
// The first structural rule that the point breaks, or nullptr.
const Rule* broken_structural_rule(const ParameterPoint&);

// Floats that one work-item of this point holds: its accumulators, and one k tile of both operands.
int floats_held(const GemmPoint&);

}  // namespace tilewright
