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

// The samples of a trial, divided by the slow-down that its reference tells; as they are where
// there is none. It is the same for all samples, since the machine changes in seconds and samples
// take milliseconds.
std::vector<double> corrected_ns(const ShapeSamples& samples);
// Their median, and the least of them. samples must not be empty.
double median_ns(const ShapeSamples& samples);
double least_ns(const ShapeSamples& samples);

// References that were seen less often are known from their own trials.
inline constexpr std::size_t kSeenOften = 5;
// The same outcomes with what their references usually take by all that was seen beside any of
// them. During a search only what came before is known.
std::vector<Outcome> settled(std::vector<Outcome> outcomes);

}  // namespace tilewright
