// Measures a team of devices for `tilewright tune --team`.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "runtime/team/team.hpp"

namespace tilewright {

struct TeamTuning {
  std::vector<std::shared_ptr<const TeamMember>> members;
  std::vector<GemmShape> shapes;  // row-major products NN
  ElementType type = ElementType::kFloat;
  double seconds = 1.0;  // for each of the measurements of a shape: each member, and all together
  // After this time no further shape begins. A product that takes longer than `seconds` exceeds it.
  double budget_s = std::numeric_limits<double>::infinity();
};

// Returns the time for each measurement of a tuning with this budget, in seconds. Long measurements
// are not more precise, so there is a maximum. A part of the budget is for the products that warm
// the members up.
double seconds_per_measurement(double budget_s, std::size_t num_shapes, std::size_t num_members);

// Measures the members of each shape alone, then all together. `done` is called after each shape,
// with its samples and the profile so far. The first shape is always measured; shapes without time
// are left out. Throws Error, also if a member fails or lacks memory.
TeamProfile tune_team(const TeamTuning& tuning,
                      const std::function<void(const TeamSamples&, const TeamProfile&)>& done);

// One line: the rates of the members alone and together, of the team, and what it gains.
std::string to_text(const TeamSamples& samples);

}  // namespace tilewright
