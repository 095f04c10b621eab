// Runs a tuning for the commands that tune.
#pragma once

#include "tuner/tuning/tuning.hpp"

namespace tilewright {

// Tunes with progress on standard error, writes the profile and prints its path. Returns the exit
// code: 0, 1 if --profile was left unchanged because the tuning has not held its finals, or 130 if
// the user stopped it. Throws like tune(), and std::runtime_error if the tuning ended early.
int run_tuning(const TuneOptions& options);

}  // namespace tilewright
