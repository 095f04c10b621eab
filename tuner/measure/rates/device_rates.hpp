// Measures how fast a device computes, moves data and launches kernels.
//
// The micro-benchmarks take a few seconds and run before any kernel is tried. Their results bound
// the speed that a product can reach (roofline.hpp), choose the form of multiply-adds (forms.hpp),
// set the cost of a launch in plans, and show whether the driver's timestamps are reliable.
// docs/measuring.md defines each figure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {

// Returns true when the time for a task is over.
using IsOver = std::function<bool()>;
inline bool never_stop() {
  return false;
}

// Measures the rates that are not in `known`, the most useful ones first. When `is_over` returns
// true, no further micro-benchmark is started: the missing rates stay 0 or absent, and the reply is
// marked partial. A rate is also 0 if the device lacks the feature, or if the kernel does not build
// or run.
//
// Multiply-adds are measured in the types in which products of `precisions` accumulate, and in half
// precision if that is one of them and the device supports it. Launches are sized to take well
// below 0.1 s. Throws Error if no kernel runs at all, or if the driver cannot create a context or a
// queue.
MeasuredRates measure_device_rates(const ListedDevice& device, const IsOver& is_over = never_stop,
                                   const DeviceRates& known = {},
                                   const std::vector<Precision>& precisions = {Precision::kSingle});

// Times of one launch: the driver's timestamps, and the wall time from enqueueing to completion.
struct LaunchTimes {
  std::uint64_t start_ns = 0;  // CL_PROFILING_COMMAND_START
  std::uint64_t end_ns = 0;    // CL_PROFILING_COMMAND_END
  double wall_ns = 0.0;
};

// Returns the smallest difference between two distinct timestamps, in ns; 0 if there are none.
double timer_step_ns(const std::vector<LaunchTimes>& launches);

// Returns true if the driver's timestamps are plausible for these launches, which must do real work
// that takes long enough for any clock. They are not plausible if a launch ends before or when it
// starts (some drivers return zeros), or if it took more than ten times the wall time (some drivers
// return garbage or use another unit). Returns true for an empty list.
bool timestamps_make_sense(const std::vector<LaunchTimes>& launches);

// Memory sizes that the driver reports; 0 if unknown.
struct MemoryFacts {
  std::int64_t global_bytes = 0;
  std::int64_t largest_buffer_bytes = 0;
  std::int64_t cache_bytes = 0;
};

// Returns the size of each buffer for the copy benchmark: four times the cache and at least 64 MiB
// (so at most 256 MiB), but no more than the largest allocation and 1/16 of the global memory. The
// benchmark needs two buffers, and boards share their memory with the rest of the system.
std::int64_t copy_buffer_bytes(const MemoryFacts& memory);
// Reads the sizes from the driver.
MemoryFacts read_memory_facts(const cl::Device& device);

// Runs a workload of the given size and returns its time in ns; nullopt if it does not run.
using RunOfSize = std::function<std::optional<double>(std::int64_t size)>;

// Returns the smallest size in the sequence first, 4 * first, 16 * first ... whose run takes at
// least `long_enough_ns`, or `most`, which is never exceeded. Since the run before was shorter than
// that, the last run takes not much longer than 4 * long_enough_ns. Returns nullopt if a run fails.
std::optional<std::int64_t> grown_size(const RunOfSize& run, std::int64_t first, std::int64_t most,
                                       double long_enough_ns);

}  // namespace tilewright
