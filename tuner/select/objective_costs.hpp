// Weighs the times of plans by the objective of a tuning.
#pragma once

#include "tuner/journal/journal.hpp"
#include "tuner/select/selection.hpp"

namespace tilewright {

// Sets the energy of each plan that the journal has, and its factor of PlanTime::cost_ns() for the
// objective in the journal's header. The factor is
// - for the energy: the plan's power divided by that of the fastest plan on the problem;
// - for the energy-delay product: the square root of that, so that a cost is still like a time.
// It is 1 for plans whose energy was not measured, and for the objective time. Other plans than the
// best are therefore compared by time, as if they drew as much power as the fastest.
void weigh_by_objective(const JournalContents& contents, Standings& standings);

// Removes from a profile with the winners of another objective than time the results that would
// make the library, which ranks by time, run a faster plan where the tuning preferred another one.
// Results of built-in kernels and of problems without energy stay.
void remove_faster_losers(const JournalContents& contents, const Standings& standings,
                          Profile& profile);

}  // namespace tilewright
