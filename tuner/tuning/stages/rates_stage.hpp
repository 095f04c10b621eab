// Measures the device's rates at the start of a tuning.
#pragma once

#include "tuner/tuning/tune_context.hpp"

namespace tilewright {

// Measures the rates that the journal does not contain yet, while the budget permits. If a
// measurement does not return, its rate remains unknown and a message is printed. Returns false if
// a stop was requested.
bool complete_rates(TuneContext& context);

}  // namespace tilewright
