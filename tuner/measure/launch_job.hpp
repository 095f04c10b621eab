// What is launched again and again while it is timed, whole or in part?
//
// A product, or what runs beside one, seen alike: extents, work-groups' tiles, and a
// launch of as many rows (or less) as may be launched at once.
#pragma once

#include <functional>
#include <string>

#include "tuner/measure/dispatch_guard.hpp"
#include "tuner/measure/sampler.hpp"

namespace tilewright {

struct LaunchJob {
  std::string what;  // kernel and extents, for messages
  GemmShape whole;   // of others than products: rows, columns, 1
  GroupTile tile;
  std::function<Launch(const GemmShape& part)> launch;  // must not outlive the job
};

// The kernel with these arguments, each time. Executor and kernel must outlive it.
Launch again(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
             const KernelLaunch& launch);

// As much of a job as may be launched at once.
struct Reach {
  GemmShape part;
  double expected_ns = 0.0;  // of the part
  double scale = 1.0;        // flops of the whole job over those of the part
};
// Nothing is launched that is predicted to take longer.
struct TooSlow {
  std::string reason;
};
using Reached = std::variant<Reach, TooSlow, Rejection>;

// Learns by launches of growing parts how much of the job stays within the longest dispatch, where
// `rate` does not tell; keeps there what it learns. What is reached has not been launched yet.
Reached reach(const Sampler& sampler, const LaunchJob& job, double max_dispatch_ns,
              LearnedRate& rate);

}  // namespace tilewright
