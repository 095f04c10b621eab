// Measures the device's rates at the start of a tuning.
#pragma once

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/tuning/report/tune_progress.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// Measures the rates that the journal does not contain yet, while the budget permits. If a
// measurement does not return, its rate remains unknown and a message is printed. Returns false if
// a stop was requested.
bool complete_rates(DeviceWorker& worker, TuningJournal& journal, const TuneOptions& options,
                    TuneProgress& progress);

}  // namespace tilewright
