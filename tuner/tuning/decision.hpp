// Who decides what a search has found, and how a tuning's time is divided between them.
//
// Finals choose kernels; then those are tried with what networks need. What these did not need goes
// to further finals.
#pragma once

#include <optional>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/tuning/tune_options.hpp"
#include "tuner/tuning/tune_progress.hpp"

namespace tilewright {

// Which part of the whole time passes before pack kernels and finals begin.
double search_share(const TuneOptions& options);

// When finals that begin now must end: what networks need stays. Late ones, as those of a second
// turn, share what is left with networks as the first ones share theirs.
double finals_end_s(const TuneOptions& options, double now_s);

// When further finals must end, in s of the record's clock, after networks took until now: these
// may choose other kernels, for which networks need as much once more. nullopt: too little is left.
std::optional<double> further_finals_end_s(double budget_s, double networks_start_s, double now_s);

// Does what the record does not hold of it yet, until options.budget_s of the record's clock.
// False: a stop was requested. Throws NoUsableKernel.
bool decide(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
            const MeasureOptions& measure, TuneProgress& progress);

}  // namespace tilewright
