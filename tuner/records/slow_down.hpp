// By how much slower than usual was the machine, moment by moment?
//
// Clocks, heat and neighbours slow a machine down, for milliseconds or minutes. What is measured at
// one moment is divided by the slow-down of that moment. It is told by kernels whose times are seen
// at many moments: in a search by a reference beside each sample, in the finals by all that
// survive, in micro-benchmarks by all forms. Pure.
#pragma once

#include <vector>

#include "tuner/records/outcome.hpp"

namespace tilewright {

// What usually is taken, of all that was seen: what a tenth of it stays below. A machine is
// disturbed, and hardly ever runs faster than when it is left alone. Not empty.
double usual_ns(const std::vector<double>& seen);

// For each moment, how many times longer than usual all took. Each has the times of the same
// kernels, which tell it by the median of their logarithms: so one that met a spike tells nothing.
std::vector<double> slow_downs(const std::vector<std::vector<double>>& moments);

// A sample without the slow-down of its moment. Never less than the fastest raw sample of the same
// kernel on the same shape: that one was measured, and a slow-down may have met only the kernels
// that it was measured with.
double without_slow_down(double ns, double slow_down, double fastest_raw_ns);

// The samples of a trial without the slow-down that its reference shows, none below the fastest of
// them; unchanged where there is no reference. The slow-down is the same for all samples, since
// the machine changes in seconds and samples take milliseconds.
std::vector<double> corrected_ns(const ShapeSamples& samples);
// Their median, and the least of them. samples must not be empty.
double median_ns(const ShapeSamples& samples);
double least_ns(const ShapeSamples& samples);

// References that were seen less often are known from their own trials.
inline constexpr std::size_t kSeenOften = 5;
// The same outcomes for comparing candidates with each other, such as for admission to the finals.
// Their samples are divided by their slow-down without any bound, as if all had been tried at the
// usual moment, so they are not figures to report. A reference's usual time comes from all samples
// that were taken of it; during a search only earlier ones are known.
std::vector<Outcome> settled(std::vector<Outcome> outcomes);

}  // namespace tilewright
