// How does a device get its profile?
//
// The supervisor's story: open the device (in a worker), measure its rates, search each op's space,
// find pack kernels, hold the finals, choose. All that is learnt goes into the journal first.
#pragma once

#include <string>

#include "tuner/journal/journal.hpp"
#include "tuner/tuning/tune_options.hpp"
#include "tuner/tuning/tune_progress.hpp"

namespace tilewright {

struct TuneResult {
  std::string output;   // path where the profile should go
  std::string journal;  // path
  JournalContents contents;
  Profile profile;       // empty of kernels if no candidate was tried before the end
  bool stopped = false;  // by the user
  bool complete = false;
  // Why the tuning ended early, and what to do: the device was given up, the journal cannot be
  // written, or no candidate of an op works. Empty: it did not.
  std::string failure;
};

// Tunes one device. Throws Error if the device or its driver is broken from the start, JournalError
// and UsageError for what the user can mend, StoppedBeforeWork.
TuneResult tune(const TuneOptions& options, TuneProgress& progress);

}  // namespace tilewright
