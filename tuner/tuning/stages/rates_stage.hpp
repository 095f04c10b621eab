// Who measures the device's rates before anything else?
#pragma once

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/tuning/tune_options.hpp"
#include "tuner/tuning/tune_progress.hpp"

namespace tilewright {

// Begins or completes what the record has of them, as far as the budget has time for it. What does
// not come back is unknown, and the observer is told so. False: a stop was requested.
bool complete_rates(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
                    TuneProgress& progress);

}  // namespace tilewright
