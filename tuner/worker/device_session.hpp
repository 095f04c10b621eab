// What does a worker do with its device?
//
// The device side of every request: context, queue, executor, operands and loaded kernels live
// here. Before each thing that may crash or hang it announces a phase. Runs in the worker process
// only; the supervisor never includes this header.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "codelets/space/emit.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

struct SessionState;
using Emit = std::function<KernelRecord(const ParameterPoint&)>;

class DeviceSession {
 public:
  // `cache_dir`: of program binaries; "": none. `sysfs`: where facts look for the clock. Throws
  // Error if the device cannot be opened.
  DeviceSession(const ListedDevice& device, const std::string& cache_dir, Announce announce,
                const std::string& sysfs = "/sys");
  ~DeviceSession();

  const DeviceFacts& facts() const;

  // How points become kernels: for tests, which put wrong ones in their place.
  void set_emit(Emit emit);

  // Kernels that fail are outcomes (never kBuildCrash or kHang: who dies cannot answer). phase,
  // took_s and at_s are left to the supervisor. After a launch that failed the device is opened
  // afresh: some drivers refuse everything from then on. Throws Error where that does not help, and
  // for options that contradict each other; ProfileError and UsageError where a profile is not
  // there or lacks a kernel.
  MeasureReply measure(const MeasureRequest& request);
  // Begins nothing more when so much time has passed.
  RatesReply measure_rates(double most_s, const DeviceRates& known = {});
  // Builds, runs and verifies the built-in profile's kernel. Throws Error if that does not work.
  void health_check();

 private:
  std::unique_ptr<SessionState> state_;
};

}  // namespace tilewright
