// Estimates how much faster the best kernels of each search could become, from the results of the
// finals. These functions do not access a device.
#pragma once

#include <vector>

#include "tuner/select/selection.hpp"
#include "tuner/tuning/search_tasks.hpp"

namespace tilewright {

// Returns how far the fastest plan on a problem is from what the device can do, as a difference of
// natural logarithms of times, at least 0. This is the mean of the distances to the roofline and to
// the roofline with the largest measured rate, `max_gflops`, instead of the peak. The launch counts
// as unavoidable.
double distance_to_limits(const GemmShape& shape, double ns, double max_gflops,
                          const DeviceRates& rates, Precision precision);

// Returns the weight of each task for the search time that is left after finals: its weight times
// the mean distance of its problems, in which shapes that the user asked for count more. A task
// near the limits keeps a small weight. Without finals these are the weights of the tasks.
std::vector<double> weights_by_gain(const std::vector<SearchTask>& tasks,
                                    const JournalContents& contents);

}  // namespace tilewright
