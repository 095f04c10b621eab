// Plans products of a team: which members compute which parts. Plans follow from predicted and
// measured times only, so equal inputs have equal plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/team/team_member.hpp"
#include "runtime/team/team_profile.hpp"

namespace tilewright {

// What is known before a product is planned.
struct TeamBasis {
  const std::vector<std::shared_ptr<const TeamMember>>& members;
  std::vector<std::size_t> usable;       // indices of members that can compute it; at least one
  bool in_host_memory = true;            // otherwise in buffers of one context
  std::optional<SplitAxis> axis = {};    // nullopt: chosen by predicted time
  const TeamResult* measured = nullptr;  // of all members at the nearest shape; null: none
};

struct TeamPart {
  std::int64_t size = 0;
  double seconds = 0.0;           // predicted time of the part
  double alone_seconds = 0.0;     // predicted time of the whole product, if it computed alone
  double transfer_seconds = 0.0;  // of them to copy the whole matrices to and from the device
};

struct TeamPlan {
  SplitAxis axis = SplitAxis::kM;
  std::vector<TeamPart> parts;  // of each usable member
  double seconds = 0.0;         // predicted time of the product
};

// Rows (row-major) or columns of C are preferred; k is divided only if C is small and in host
// memory. Measured rates correct predicted times by a factor for each member, alone and shared. A
// member about which nothing is known counts as fast as the average of the others.
TeamPlan plan_product(const TeamBasis& basis, const GemmCall& call);

// The parts of rows with which the members of a TeamResult compute its product together.
std::vector<std::int64_t> measured_parts(const GemmShape& shape,
                                         const std::vector<double>& alone_gflops);

}  // namespace tilewright
