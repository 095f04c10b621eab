// Lists the candidates that a tuning would try, without trying them.
//
// The search runs as on the device, with the predictions of models in place of measurements. So the
// tuning of a board can be examined on any machine before the board spends an hour on it.
#pragma once

#include <string>
#include <vector>

#include "tuner/tuning/tuning.hpp"

namespace tilewright {

// A candidate that would be tried.
struct DryRunCandidate {
  std::string task;      // name of the search: "NN" ..., "packed"
  ParameterPoint point;  // with the simplest form of multiply-adds, as no device was measured
  double score = 0.0;    // expected_score()
};

// Returns the candidates of all searches in the order in which they would be tried: as many as fit
// the budget if each takes a typical time. The result is the same for the same seed.
std::vector<DryRunCandidate> dry_run_candidates(const TuneOptions& options,
                                                const DeviceInfo& device);

}  // namespace tilewright
