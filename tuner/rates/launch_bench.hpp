// How are the kernels of micro-benchmarks built and launched, and what does a launch cost?
//
// They are no codelets, so that the executor does not know their arguments. What fails is nullopt:
// a device that cannot do one thing may do others.
#pragma once

#include <CL/opencl.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/executor.hpp"
#include "tuner/rates/device_rates.hpp"

namespace tilewright {

// `size`, a power of two, halved until it is at most `most`, but at least 1.
std::int64_t power_of_two(std::int64_t size, std::int64_t most);

class LaunchBench {
 public:
  // Throws Error if there is no context or queue to be had.
  explicit LaunchBench(const ListedDevice& device);

  const Executor& executor() const { return executor_; }

  std::optional<cl::Kernel> build(const std::string& source, const char* name) const;
  std::optional<cl::Buffer> buffer(std::int64_t bytes) const;
  // The largest work-group for the kernel that is a power of two and at most this.
  static constexpr std::int64_t kWorkGroup = 256;  // work-items
  std::int64_t work_group(const cl::Kernel& kernel) const;
  // Launches and waits.
  std::optional<LaunchTimes> launch(const cl::Kernel& kernel, const cl::NDRange& global,
                                    const cl::NDRange& local) const;

  // Of an empty kernel; 0 if it does not run.
  double launch_ns() const;      // what one of many costs, back to back
  double round_trip_ns() const;  // launch and wait
  // Many, each waited for; none if one fails.
  std::vector<LaunchTimes> empty_launches() const;

 private:
  bool launch_empty(cl::Event* event) const;

  Executor executor_;
  const ListedDevice& device_;
  cl::CommandQueue timed_;    // with timestamps
  cl::CommandQueue untimed_;  // as an application's: timestamps may cost time
  std::optional<cl::Kernel> empty_;
};

}  // namespace tilewright
