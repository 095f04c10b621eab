// Reads the energy that was measured of finalists.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "tuner/journal/journal.hpp"

namespace tilewright {

// Returns the samples of energy on a shape, in joules of one launch, by finalist.
std::map<std::size_t, std::vector<double>> joules_on(const JournalContents& contents,
                                                     const GemmShape& shape);

// Returns the rounds with the energy of those finalists that are in `after`, too, at their places
// in it.
std::vector<Round> energy_of_remaining(const std::vector<Round>& energy_rounds,
                                       const std::vector<KernelId>& before,
                                       const std::vector<KernelId>& after);

}  // namespace tilewright
