// Measures the energy of the finalists that may be best, after the finals.
#pragma once

#include <vector>

#include "tuner/energy/energy_sensor.hpp"
#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/tuning/report/tune_progress.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// Returns the sensors that cover the device of the worker, or those that the options name; none for
// the objective time. Throws UsageError if there are none that can be read.
std::vector<SensorInfo> require_sensors(DeviceWorker& worker, const TuneOptions& options);

// Measures the energy of what may be best on each shape: for each op the four fastest plans, unless
// they are more than 25 % slower than the fastest one, and what runs without the profile. Takes
// kEnergySamples of each, one for all shapes before the next, until the journal's clock reaches
// `until_s`. Samples that the journal contains count. Does nothing for the objective time, or
// without finals. Returns false if a stop was requested. Throws DeviceLost and JournalError.
bool measure_energy(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
                    const MeasureOptions& measure, TuneProgress& progress, double until_s);

// Returns true if the objective is not the time and something that may be best has no sample of
// energy on a shape. Finalists that failed need none.
bool lacks_energy(const JournalContents& contents);

}  // namespace tilewright
