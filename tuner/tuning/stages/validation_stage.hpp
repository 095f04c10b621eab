// Validates the choice of kernels on random products.
#pragma once

#include "tuner/tuning/time_division.hpp"
#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Returns the mean time of a random product so far in seconds; 0: unknown.
double product_s(const JournalContents& contents);

// If the tuning is validated, measures random products that the journal does not contain yet, until
// the first of the times, or until the choices are good; up to the second time while they are bad
// and become better. If options.validate is set, measures that many products instead. The results
// are added to the journal, so that models and choices use them. A kernel that fails is recorded,
// and kernels are chosen again. Returns false if a stop was requested.
bool validate(TuneContext& context, ValidationTimes times);

// Measures the products that are held out, except those that the journal contains; none in a part
// of a tuning. Returns false if a stop was requested.
bool hold_out(TuneContext& context, double until_s);

}  // namespace tilewright
