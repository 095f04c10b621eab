// Decides which kernels win after a search, and divides the time of a tuning between the stages.
//
// The finals select kernels. Then these are tried with what networks need. If that takes less than
// its time, there are further finals.
#pragma once

#include <optional>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/tuning/report/tune_progress.hpp"
#include "tuner/tuning/tune_options.hpp"

namespace tilewright {

// Returns the part of the total time that passes before pack kernels and finals start.
double search_share(const TuneOptions& options);

// Returns the time at which finals that start now must end, leaving the time for networks. Late
// finals, such as those of a second period, share the remaining time with networks in the same
// ratio.
double finals_end_s(const TuneOptions& options, double now_s);

// When the parts of a validation must end, on the journal's clock in seconds.
struct ValidationTimes {
  double until_s = 0.0;
  // The later end of a validation while choices are bad and become better. It may use time of
  // networks.
  double latest_s = 0.0;
};

// Returns the times of a validation that starts now. `end_s` is the end of all that may change the
// choice.
ValidationTimes validation_times(const TuneOptions& options, double end_s, double now_s);

// Returns the time at which further finals must end, on the journal's clock in seconds.
// `networks_start_s` is the time at which the stage for networks started, and `now_s` the present
// time. Further finals may select other kernels, for which networks need the same time again.
// Returns nullopt if too little time is left.
std::optional<double> further_finals_end_s(double budget_s, double networks_start_s, double now_s);

// Ends what the worker does after so much time, in seconds.
void end_worker_by(DeviceWorker& worker, double left_s);

// Runs finals and the stage for networks until the journal's clock reaches options.budget_s,
// without repeating what the journal contains. Returns false if a stop was requested. Throws
// NoUsableKernel.
bool decide(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
            const MeasureOptions& measure, TuneProgress& progress);

}  // namespace tilewright
