// What do the sweeps of a final say, on a machine that changes pace?
//
// Pure statistics: no device, no clock. A sweep whose reference moved by more than 3 % between its
// begin and its end straddles a change of pace (or one of the two was spoilt) and is left out; the
// times of the others are divided by the pace, the mean of the reference's two times over its
// median in all accepted sweeps. On a machine on which the reference moves that much in most
// sweeps, the calmer half of the sweeps is taken.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "tuner/finals_record.hpp"

namespace tilewright {

// Samples in ns by index of racers: of the accepted sweeps on a shape, corrected. Sweeps without a
// reference (its times are 0) are taken as they are, where there are no others.
std::map<std::size_t, std::vector<double>> corrected_samples(const std::vector<Sweep>& sweeps,
                                                             const GemmShape& shape);

}  // namespace tilewright
