// Measures the members of a team, alone and at the same time, for `tilewright tune --team`.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "runtime/team/team_member.hpp"
#include "runtime/team/team_profile.hpp"
#include "tuner/journal/records/statistics.hpp"

namespace tilewright {

struct TeamTuning {
  std::vector<std::shared_ptr<const TeamMember>> members;
  std::vector<GemmShape> shapes;  // row-major products NN
  ElementType type = ElementType::kFloat;
  double seconds = 1.0;  // for each of the measurements of a shape: each member, and all together
  // After this time no further shape begins. A product that takes longer than `seconds` exceeds it.
  double budget_s = std::numeric_limits<double>::infinity();
};

// GFLOPS of single products: median, 10th and 90th percentile, and number of products.
using TeamRates = std::vector<Summary>;  // by member

// What was measured on one shape.
struct TeamMeasurement {
  GemmShape shape;
  TeamRates alone = {};
  TeamRates together = {};
  Summary team = {};
};

// Returns the time for each measurement of a tuning with this budget, in seconds. Long measurements
// are not more precise, so there is a maximum. A part of the budget is for the products that warm
// the members up.
double seconds_per_measurement(double budget_s, std::size_t num_shapes, std::size_t num_members);

// Each member alone multiplies for the given time; then all members multiply at the same time, each
// a part of the rows that is proportional to its rate alone; then the team multiplies with the
// division that follows from these rates. `done` is called after each shape, with its measurement
// and the profile so far. The first shape is always measured; shapes without time are left out.
// Throws Error, also if a member fails in the team.
TeamProfile tune_team(const TeamTuning& tuning,
                      const std::function<void(const TeamMeasurement&, const TeamProfile&)>& done);

// One line: the rates of the members alone and together, of the team, and what it gains.
std::string to_text(const TeamMeasurement& measurement);

}  // namespace tilewright
