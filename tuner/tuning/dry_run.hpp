// What would a tuning try, without trying it?
//
// The search runs as it would on the device, with what the models expect instead of what a device
// would measure: so boards can be looked at from any machine, before they spend an hour.
#pragma once

#include <string>
#include <vector>

#include "tuner/tuning/tuning.hpp"

namespace tilewright {

struct PlannedCandidate {
  std::string phase;     // "NN" ..., "packed"
  ParameterPoint point;  // multiply-adds spelled in the simplest way: no device says which is best
  double score = 0.0;    // expected_score()
};

// The candidates of all phases of a search, in the order of trial: as many as fit the budget where
// each takes as long as a candidate usually does. Deterministic for a seed.
std::vector<PlannedCandidate> planned_candidates(const TuneOptions& options,
                                                 const DeviceInfo& device);

}  // namespace tilewright
