// Which kernels serve beside the products that were found?
//
// Packs, what adds up the parts of a split k, activations, softmax: each answers a demand, and is
// tuned apart, in a small part of the time.
#pragma once

#include <set>
#include <vector>

#include "tuner/journal/tuning_journal.hpp"
#include "tuner/process/device_worker.hpp"
#include "tuner/search/pack_requirements.hpp"
#include "tuner/tuning/tuning.hpp"

namespace tilewright {

// What took the board down with it, and kernels beside products that workers died of.
std::vector<KernelId> killers(const JournalContents& contents);

// Puts a kernel for each demand into `auxiliaries`: the record's, or else one that is looked for
// now, all of them together in about so many seconds, beginning with those of options.warm_start;
// where options.candidates is a bound, each among a sixteenth as many, at least four. A demand for
// which none works has none. False: a stop was requested.
bool tune_auxiliaries(DeviceWorker& worker, TuningJournal& record, const TuneOptions& options,
                      const MeasureOptions& measure, std::set<ParameterPoint> requirements,
                      double seconds, Auxiliaries& auxiliaries);

}  // namespace tilewright
