// Measures the energy of the finalists that may be best, after the finals.
#pragma once

#include <string>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/tuning/tune_options.hpp"
#include "tuner/tuning/tune_progress.hpp"

namespace tilewright {

// Asks the worker for the sensors that cover its device. Returns a sentence that names them. Throws
// UsageError if there are none.
std::string require_sensors(DeviceWorker& worker, const TuneOptions& options);

// Measures, on each shape, the finalists that are at most 25 % slower than the fastest plan for
// their op, and what runs without the profile: three rounds over all shapes, or until the journal's
// clock reaches `until_s`. Samples that the journal contains count. Does nothing for the objective
// time, or without finals. Returns false if a stop was requested. Throws DeviceLost and
// JournalError.
bool measure_energy(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
                    const MeasureOptions& measure, TuneProgress& progress, double until_s);

}  // namespace tilewright
