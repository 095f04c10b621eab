// Tunes a device: runs all stages and creates the profile.
//
// The supervisor opens the device in a worker process, measures its rates, searches the space of
// each op, finds pack kernels, runs the finals and selects kernels. It records every result in the
// journal before it continues.
#pragma once

#include <string>

#include "tuner/journal/journal.hpp"
#include "tuner/tuning/report/tune_progress.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// The result of a tuning.
struct TuneResult {
  std::string output;   // path for the profile
  std::string journal;  // path of the journal
  JournalContents contents;
  Profile profile;       // without kernels if no candidate was tried before the end
  bool stopped = false;  // by the user
  bool complete = false;
  // Why the tuning ended early, and what to do: the device was given up, the journal cannot be
  // written, or no candidate for an op works. "" if it did not end early.
  std::string failure;
};

// Tunes one device. Throws Error if the device or its driver does not work from the start,
// JournalError or UsageError for errors that the user can correct, and StoppedBeforeWork.
TuneResult tune(const TuneOptions& options, TuneProgress& progress);

}  // namespace tilewright
