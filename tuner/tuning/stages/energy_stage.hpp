// Measures the energy of the finalists that may be best, after the finals.
#pragma once

#include <string>
#include <vector>

#include "tuner/energy/energy_sensor.hpp"
#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/select/energy_contenders.hpp"
#include "tuner/tuning/report/tune_progress.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// Returns the sensors that cover the device of the worker, or those that the options name; none for
// the objective time. Throws UsageError if there are none that can be read.
std::vector<SensorInfo> require_sensors(DeviceWorker& worker, const TuneOptions& options);

// Measures the energy of the finals, in one session of a tuning.
class EnergyStage {
 public:
  // All arguments must outlive the stage.
  EnergyStage(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
              const MeasureOptions& measure, TuneProgress& progress);

  // Takes kEnergySamples of each contender on each shape, one of all before the next, until the
  // journal's clock reaches `until_s`. Samples that the journal contains count. Contenders that
  // appear meanwhile, for example because others fail, are measured, too. Does nothing for the
  // objective time, without finals, or after a sensor has failed. Returns false if a stop was
  // requested. Throws DeviceLost and JournalError.
  bool run(double until_s);

  // Why a sensor failed in this session; "": none did.
  const std::string& sensor_failure() const { return sensor_failure_; }
  // Returns the expected time of all samples in seconds, including those that the journal contains;
  // 0 for the objective time.
  double needed_s() const;

 private:
  enum class End { kDone, kStopped, kOver };

  End measure_all(double until_s);
  // Takes one sample of each finalist that has at most `round` of them. Leaves it out if there is
  // not enough time.
  End measure_on(const GemmShape& shape, const EnergyContenders& contenders, int round,
                 double until_s);

  DeviceWorker& worker_;
  TuningJournal& journal_;
  const TuneOptions& options_;
  const MeasureOptions& measure_;
  TuneProgress& progress_;
  double sample_s_;  // time of one sample: expected at first, then that of the last ones
  std::string sensor_failure_;
};

}  // namespace tilewright
