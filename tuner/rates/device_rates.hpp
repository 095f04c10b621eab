// How fast does a device compute, move data and start kernels?
//
// A few seconds of micro-benchmarks before any kernel is tried. Their figures bound what a product
// can reach (roofline.hpp), choose forms (forms.hpp), set the cost of a launch in plans,
// and say whether the driver's clock can be trusted. docs/measuring.md defines each of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "profiles/profile.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

// Is the time for something over?
using IsOver = std::function<bool()>;
inline bool never() {
  return false;
}

// Measures what is not `known`, the most useful first: what is not begun when the time is over
// stays 0, or is missing, and the answer is partial. What a device does not have, or what does not
// build or run on it, is 0, too. Multiply-adds are those that bound products of the precisions,
// and those of halfs where one of them is half. No launch is meant to take longer than a tenth of a
// second. Throws Error if no kernel runs at all, or if there is no context or queue to be had.
RatesReply measure_device_rates(const ListedDevice& device, const IsOver& is_over = never,
                                const DeviceRates& known = {},
                                const std::vector<Precision>& precisions = {Precision::kSingle});

// One launch: what the driver says of it, and the time from its enqueueing to its end on the wall.
struct LaunchTimes {
  std::uint64_t start_ns = 0;  // CL_PROFILING_COMMAND_START
  std::uint64_t end_ns = 0;    // CL_PROFILING_COMMAND_END
  double wall_ns = 0.0;
};

// The least difference of any two timestamps that differ; 0 if there are none.
double timer_step_ns(const std::vector<LaunchTimes>& launches);

// Are the driver's timestamps those of the launches? The launches must be real work, long enough
// for any clock. Not if one of them ends when it begins or before (a driver that answers zeros), or
// took more than ten times as long as the wall says (a driver that answers garbage, or another
// unit). True of no launches at all.
bool timestamps_make_sense(const std::vector<LaunchTimes>& launches);

// What a driver says of the device's memory; 0 where it does not.
struct MemoryFacts {
  std::int64_t global_bytes = 0;
  std::int64_t largest_buffer_bytes = 0;
  std::int64_t cache_bytes = 0;
};

// How large a buffer to copy: four times the cache and at least 64 MiB, but at most 256 MiB, the
// largest buffer that there may be, and a sixteenth of the memory, as two are needed and boards
// share their memory with everything else.
std::int64_t copy_buffer_bytes(const MemoryFacts& memory);
MemoryFacts memory_of(const cl::Device& device);

// Runs something of that size and returns how long it took in ns; nullopt: it does not run.
using RunOfSize = std::function<std::optional<double>(std::int64_t size)>;

// The first size of first, 4 first, 16 first ... that takes at least long_enough_ns, or most, which
// is never passed. Since the last run but one was short, none takes much longer than four times
// long_enough_ns. nullopt if one does not run.
std::optional<std::int64_t> grown_size(const RunOfSize& run, std::int64_t first, std::int64_t most,
                                       double long_enough_ns);

}  // namespace tilewright
