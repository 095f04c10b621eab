// Estimates how much slower than usual the machine was at each moment, and corrects samples for it.
//
// Clock changes, heat and other programs slow a machine down, for milliseconds or for minutes. A
// time that was measured at some moment is divided by the slow-down of that moment. The slow-down
// is estimated from kernels that are timed at many moments: in a search, a reference kernel that is
// sampled together with each candidate; in the finals, all remaining finalists; in
// micro-benchmarks, all forms. These functions do not access a device.
#pragma once

#include <vector>

#include "tuner/journal/records/outcome.hpp"

namespace tilewright {

// Returns the usual time: the 10th percentile of the times. A low percentile is used because
// disturbances only make a machine slower. The list must not be empty.
double usual_ns(const std::vector<double>& seen);

// Returns, for each moment, the slow-down: the typical time at this moment divided by the usual
// one. Each element of `moments` has the times of the same kernels. The typical time is the median
// over the kernels in logarithms, so a single kernel with an outlier has no effect.
std::vector<double> slow_downs(const std::vector<std::vector<double>>& moments);

// Returns a sample divided by the slow-down of its moment, but at least the fastest raw sample of
// the same kernel on the same shape: that time was really measured, and the slow-down may have
// affected only the kernels that it was estimated from.
double without_slow_down(double ns, double slow_down, double fastest_raw_ns);

// Returns the samples of a trial, corrected by the slow-down that its reference shows, but none
// below the fastest sample. Without a reference they are unchanged. All samples are divided by the
// same slow-down, because the machine changes in seconds and samples take milliseconds.
std::vector<double> corrected_ns(const ShapeSamples& samples);
// Median and minimum of the corrected samples. `samples` must not be empty.
double median_ns(const ShapeSamples& samples);
double min_ns(const ShapeSamples& samples);

// Minimum number of trials from which a reference's usual time is computed. A reference with fewer
// is known only from its own trial.
inline constexpr std::size_t kSeenOften = 5;
// Returns the outcomes with corrected samples for comparing candidates with each other, for example
// to select finalists. The samples are divided by their slow-down without a lower bound, as if all
// had been taken at a usual moment, so they are not suitable for reports. The usual time of a
// reference is computed from all samples of it, whereas during a search only earlier ones are
// known.
std::vector<Outcome> with_reference_correction(std::vector<Outcome> outcomes);

}  // namespace tilewright
