// What do the sweeps of a final say, on a machine that changes pace?
//
// Pure statistics: no device, no clock. The times of a sweep are divided by the machine's pace
// meanwhile. A sweep of six finalists or more tells it by them: how each does beside what it
// usually takes, in the median, found by median polish (Tukey 1977, "Exploratory Data Analysis").
// Those count that are in most of the sweeps: so who left early is compared with who stayed by what
// both did in the same ones. One of fewer tells it by its reference alone, the mean of its two
// times. Sweeps that straddle a change of pace are left out: those of which a fifth of the
// finalists disagrees by more than 3 % and twice as much as usual; of few finalists those whose
// reference moved by more than 3 % between begin and end (on a machine on which it moves that much
// in most sweeps, the calmer half is taken).
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "tuner/records/finals_record.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {

// By index of finalists, in ns: of the accepted sweeps on a shape, corrected to the middle of their
// paces. Sweeps without a reference (its times are 0) are taken as they are, where most are such.
struct CorrectedSweeps {
  std::map<std::size_t, std::vector<double>> samples;
  // What the finalist takes in each fork: the mean of its samples, weighted by how well the
  // finalists of their sweeps agree. One that is further from the fork's weighted median than these
  // disagree counts as that far (Winsorised); to that median what the finalist takes usually adds
  // as one sample of little weight.
  std::map<std::size_t, std::vector<ForkTime>> forks;

  // What is known of a finalist that has samples.
  Known time_of(std::size_t finalist) const;
};
CorrectedSweeps corrected(const std::vector<Sweep>& sweeps, const GemmShape& shape);

// By how much longer everything took in the middle sweep on a shape, by its pace, than in the
// fastest tenth: 0 on a calm machine, 0.1: a tenth longer. Of sweeps that count and of others; 0
// where there are fewer than ten.
double slowdown(const std::vector<Sweep>& sweeps, const GemmShape& shape);

// The samples alone.
std::map<std::size_t, std::vector<double>> corrected_samples(const std::vector<Sweep>& sweeps,
                                                             const GemmShape& shape);

}  // namespace tilewright
