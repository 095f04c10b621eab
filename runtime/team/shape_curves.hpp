// Predicts how long the members of a team need for parts of a product.
#pragma once

#include <optional>
#include <vector>

#include "runtime/team/adaptive_split.hpp"
#include "runtime/team/team_member.hpp"

namespace tilewright {

// What is known before a shape is planned.
struct ShapeBasis {
  std::vector<const TeamMember*> members;  // that can compute the product; at least one
  std::vector<double> scales;              // measured relative to predicted time of each member
  bool in_host_memory = true;              // otherwise in buffers of one context
  std::optional<SplitAxis> axis;           // nullopt: chosen by predicted time
};

// The curves of the axis along which the team is predicted to be fastest. Whole lines of C are
// preferred; k is divided only if C is small and in host memory. A member about which nothing is
// known counts as fast as the average of the others.
ShapeCurves plan_shape(const ShapeBasis& basis, const GemmCall& call);

}  // namespace tilewright
