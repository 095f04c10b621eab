// What does a worker keep of its device from request to request?
//
// Context, queue, executor, operands and loaded kernels live here. What measures with them is
// measuring.hpp. Before each thing that may crash or hang a phase is announced. In the worker
// process only; the supervisor never includes this header.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "codelets/space/emit.hpp"
#include "runtime/check/kernel_check.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/measure/open_device.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

using Emit = std::function<KernelRecord(const ParameterPoint&)>;

class DeviceSession {
 public:
  // `cache_dir`: of program binaries; "": none. `sysfs`: where facts look for the clock. Throws
  // Error if the device cannot be opened.
  DeviceSession(const ListedDevice& listed, std::string cache_dir, Announce announced,
                const std::string& sysfs = "/sys");

  const ListedDevice device;
  const DeviceInfo facts;
  const Announce announce;
  std::mt19937_64 random{std::random_device()()};  // the order of rounds: another in each process

  OpenDevice& open() { return *open_; }
  // Opens the device afresh: some drivers refuse everything once a launch has failed. Throws Error.
  void reopen();

  // The kernel, or else the request's of that name, kept or loaded; before it is loaded, kBuild is
  // announced for the name. Throws ProfileError, UsageError if there is no such kernel.
  std::variant<std::shared_ptr<KeptKernel>, Rejection> load(const MeasureRequest& request,
                                                            const KernelId& kernel,
                                                            const std::string& name);
  KernelVerifier& verifier() { return verifier_; }

  // Begins nothing more when so much time has passed.
  RatesReply measure_rates(double most_s, const DeviceRates& known = {},
                           Precision precision = Precision::kSingle);
  // Builds, runs and verifies the built-in profile's kernel. Throws Error if that does not work.
  void health_check();

  // How points become kernels: for tests, which put wrong ones in their place.
  void set_emit(Emit emit);

 private:
  KernelRecord record_of(const std::string& profile, const std::string& name);

  std::string cache_dir_;
  Emit emit_point_ = emit;
  std::unique_ptr<OpenDevice> open_;
  KernelVerifier verifier_;
  std::pair<std::string, Profile> profile_;  // the last that was asked for, by its path
};

}  // namespace tilewright
