// Builds and launches the kernels of the micro-benchmarks, and measures the cost of a launch.
//
// The Executor cannot launch these kernels, because they are not codelets and it does not know
// their arguments. Functions return nullopt on failure: a device that does not support one
// benchmark may support others.
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/executor.hpp"
#include "tuner/measure/rates/device_rates.hpp"

namespace tilewright {

// Halves `size`, which must be a power of two, until it is at most `most`; stops at 1.
std::int64_t power_of_two(std::int64_t size, std::int64_t most);

// Queues and an empty kernel on one device. Not thread-safe.
class LaunchBench {
 public:
  // Throws Error if the driver cannot create a context or a queue. `device` must outlive this
  // object.
  explicit LaunchBench(const ListedDevice& device);

  const Executor& executor() const { return executor_; }

  // Compiles the source and returns the kernel called `name`.
  std::optional<cl::Kernel> build(const std::string& source, const char* name) const;
  // Allocates a buffer.
  std::optional<cl::Buffer> buffer(std::int64_t bytes) const;
  // Returns the largest work-group size that is a power of two, at most kWorkGroup, and allowed for
  // the kernel.
  static constexpr std::int64_t kWorkGroup = 256;  // work-items
  std::int64_t work_group(const cl::Kernel& kernel) const;
  // Launches the kernel on the profiling queue and waits for it.
  std::optional<LaunchTimes> launch(const cl::Kernel& kernel, const cl::NDRange& global,
                                    const cl::NDRange& local) const;

  // Costs of an empty kernel on a queue without profiling, median wall time in ns; 0 if it does not
  // run. launch_ns() is the time per launch of many back to back; round_trip_ns() is the time to
  // launch one and wait for it.
  double launch_ns() const;
  double round_trip_ns() const;
  // Launches the empty kernel many times, waiting for each. Returns an empty list if a launch
  // fails.
  std::vector<LaunchTimes> empty_launches() const;

 private:
  bool launch_empty(cl::Event* event) const;

  Executor executor_;
  const ListedDevice& device_;
  cl::CommandQueue timed_;  // profiling, if the device supports it
  // Without profiling, like an application's queue, since profiling may cost time.
  cl::CommandQueue untimed_;
  std::optional<cl::Kernel> empty_;
};

// Measures the launch floor, the shortest time that any call can take on a queue: the wall time of
// an empty kernel, from enqueueing to the end of the wait for it. If it accounts for most of a
// product's time, a better kernel does not help.
class LaunchFloor {
 public:
  // Throws Error if the empty kernel does not build.
  LaunchFloor(const cl::Context& context, const cl::CommandQueue& queue);

  // Launches the empty kernel `launches` times, waiting for each, and returns the total wall time
  // in seconds. Throws Error if a launch fails.
  double time_runs(int launches);

 private:
  cl::CommandQueue queue_;
  cl::Kernel kernel_;
};

}  // namespace tilewright
