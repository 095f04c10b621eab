// Which points can be kernels at all, and which are worth trying on a device?
//
// Each rule is written once, with its reason, and is used by the emitters, the tuner, `tilewright
// space` and the docs. Structural rules hold everywhere: an emitter refuses a point that breaks
// one. Device rules depend on limits: the tuner does not try a point that breaks one.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "codelets/point/parameter_point.hpp"

namespace tilewright {

// What a device offers to kernels.
struct SpaceLimits {
  std::int64_t max_work_group_size = 1;                      // work-items
  std::array<std::int64_t, 2> max_work_item_sizes = {1, 1};  // work-items, dimensions 0 and 1
  int max_vector_width = 16;  // floats: the widest vector that its compilers take
  int register_floats = 64;   // floats a work-item can keep in registers: an estimate, not a query
  // Floats that all work-items of a group can keep across barriers; CPUs keep them in memory, on
  // a stack. An estimate.
  std::int64_t group_floats = std::numeric_limits<std::int64_t>::max();
  std::int64_t local_memory_bytes = 0;
  bool local_memory_is_dedicated = false;  // false: it is global memory, staging only copies
  bool image_support = false;
  bool half_arithmetic = false;  // cl_khr_fp16; all devices read and write halfs
  bool operator==(const SpaceLimits&) const = default;
};

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
