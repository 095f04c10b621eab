// Rules that decide which points can be kernels at all, and which of them are worth trying on a
// device.
//
// Each rule is written once, with its reason. The generators, the tuner, `tilewright space` and the
// documentation all use it. Structural rules hold on all devices: a generator rejects a point that
// violates one. Device rules depend on limits: the tuner does not try a point that violates one.
#pragma once

#include <string_view>
#include <vector>

#include "codelets/point/parameter_point.hpp"
#include "profiles/device_info.hpp"

namespace tilewright {

// A condition on the parameters of a point.
struct Rule {
  std::string_view name;
  std::string_view reason;  // why points that violate it are excluded: a clause
  bool structural;          // the rule holds on every device and ignores `limits`
  // The parameters that it depends on. The rule can be evaluated once these have values. If one of
  // them is late (Field::late), the rule must hold for its first value, whatever the others are: a
  // space evaluates such a rule on its first point only, for all points that it draws or lists.
  std::vector<std::string_view> reads;
  bool (*holds)(const ParameterPoint&, const SpaceLimits&);
};

// All rules of a codelet, structural rules first.
const std::vector<Rule>& rules(Codelet);

// The first rule that the point violates, or nullptr.
const Rule* broken_rule(const ParameterPoint&, const SpaceLimits&);
// The first structural rule that the point violates, or nullptr.
const Rule* broken_structural_rule(const ParameterPoint&);

// Number of floats (a double counts as two) that one work-item keeps in registers: its
// accumulators, one k tile of both operands, and what it has fetched for local memory.
int num_floats(const GemmPoint&);

}  // namespace tilewright
