// Measures the rates of the device, then the built-in kernels that run without a profile, before
// any candidate.
#pragma once

#include <functional>
#include <variant>
#include <vector>

#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Measures the rates that the journal does not contain yet, while the budget permits. If a
// measurement does not return, its rate remains unknown and a message is printed. Returns false if
// a stop was requested.
bool complete_rates(TuneContext& context);

// Runs one trial.
using Try = std::function<std::variant<Outcome, Stopped>(const MeasureRequest&)>;
// Tries a kernel on all shapes of a request. A trial ends at the first shape on which one launch
// would take too long; the remaining shapes are then tried in another trial. The outcome contains
// the samples of all trials, and is ok if there are any.
std::variant<Outcome, Stopped> try_on_all(MeasureRequest request, const Try& trial);

// The built-in kernels of the tuning's baseline (select/baseline.hpp) that have no outcome yet.
std::vector<KernelId> unmeasured_built_in(const JournalContents& contents);

// Tries these on all shapes of the tuning. Starts no further kernel once the journal's clock has
// reached `until_s`. False: a stop was requested.
bool measure_baseline(TuneContext& context, double until_s);

}  // namespace tilewright
