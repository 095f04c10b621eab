// Checks the files of a tuning and opens its journal.
#pragma once

#include <string>
#include <vector>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/tuning/search_tasks.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// Paths of the files that a tuning writes.
struct TuningFiles {
  std::string output;  // the profile
  std::string journal;
};

// Returns the paths that the options name, or those that follow from the device.
TuningFiles tuning_files(const TuneOptions& options, const DeviceInfo& device);

// Checks everything that can be checked before files are written. Throws UsageError.
void check_files(const TuneOptions& options, const TuningFiles& files, const DeviceInfo& device);

// If there is a journal of a tuning with the same shapes and seed, replaces the designed shapes by
// those of its first session, because a driver may report another clock or memory size after a
// reboot. Throws JournalError.
void keep_design(TuneOptions& options, const std::string& journal);

// Returns the header of the tuning's journal, with the present time.
JournalHeader make_header(const TuneOptions& options, const DeviceInfo& device,
                          const std::vector<SearchTask>& tasks);

// Opens the journal to continue it, or begins a new one. Throws JournalError if the journal belongs
// to another tuning, and UsageError if the output must not be replaced.
TuningJournal open_journal(const TuneOptions& options, const TuningFiles& files,
                           const JournalHeader& wanted, Clock clock);

// Returns the present time in UTC, ISO 8601.
std::string utc_now();

}  // namespace tilewright
