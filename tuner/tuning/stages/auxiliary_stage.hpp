// Finds the auxiliary kernels that the product kernels of a tuning require.
//
// These are pack, reduction, activation and softmax kernels. Each meets one requirement and is
// tuned separately, in a small part of the time.
#pragma once

#include <set>
#include <vector>

#include "tuner/search/pack_requirements.hpp"
#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Returns the kernels that must not be tried again: those during which the machine went down, and
// auxiliary kernels that killed a worker or hung.
std::vector<KernelId> killers(const JournalContents& contents);

// Adds a kernel for each requirement to `auxiliaries`: the one in the journal, or else one that is
// searched for now. All searches together take about `seconds`, or longer where the first kernels
// do not work; none starts once the journal's clock has reached `until_s`. The kernels of
// options.warm_start are tried first. If options.candidates is a limit, each search tries at most
// 1/16 of it, but at least four. A requirement for which no kernel works gets none. Returns false
// if a stop was requested.
bool tune_auxiliaries(TuneContext& context, std::set<ParameterPoint> requirements, double seconds,
                      double until_s, Auxiliaries& auxiliaries);

}  // namespace tilewright
