// A worker's device: prepares, verifies and measures kernels.
//
// Keeps its context, queue, operands and loaded kernels from request to request. Announces a phase
// before each step that may crash or hang. In the worker process only; the supervisor never
// includes this header.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>

#include "codelets/space/emit.hpp"
#include "runtime/check/kernel_check.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/measure/dispatch_guard.hpp"
#include "tuner/measure/operand_pool.hpp"
#include "tuner/measure/sampler.hpp"
#include "tuner/records/worker_protocol.hpp"

namespace tilewright {

using Emit = std::function<KernelRecord(const ParameterPoint&)>;

// A kernel, and what launching it has taught.
struct KeptKernel {
  std::unique_ptr<LoadedKernel> kernel;
  // Expected for its first launch: drivers that go on compiling then need about as long again. 0:
  // it has been launched before.
  double first_launch_s = 0.0;
  LearnedRate last = {};                       // whatever the shape
  std::map<std::string, LearnedRate> on = {};  // by shape, as text
};

class DeviceSession {
 public:
  // `cache_dir`: of program binaries; "": none. `sysfs`: where facts look for the clock. Throws
  // Error if the device cannot be opened.
  DeviceSession(const ListedDevice& listed, std::string cache_dir, Announce announced,
                const std::string& sysfs = "/sys");

  const ListedDevice device;
  const DeviceInfo facts;
  const Announce announce;

  // Kernels that fail are outcomes (never kBuildCrash or kHang: a worker that dies cannot answer).
  // phase, took_s and at_s are left to the supervisor. Throws Error for options that contradict
  // each other, and if the device cannot be opened again after a launch that failed; ProfileError
  // and UsageError if a profile does not exist or lacks a kernel.
  MeasureReply measure(const MeasureRequest& request);
  // Begins nothing more when so much time has passed.
  RatesReply measure_rates(double most_s, const DeviceRates& known = {},
                           Precision precision = Precision::kSingle);
  // Builds, runs and verifies the built-in profile's kernel. Throws Error if that does not work.
  void health_check();

  // How points become kernels: for tests, which put wrong ones in their place.
  void set_emit(Emit emit);

 private:
  friend class Measuring;

  // What lives in one OpenCL context, and goes with it.
  struct Context {
    Context(const cl::Device& device, const std::string& cache_dir);

    Executor executor;
    cl::CommandQueue queue;
    std::optional<std::pair<std::uint64_t, OperandPool>> pool = {};
    MeasureOptions sampled = {};
    std::unique_ptr<Sampler> sampler = {};
    std::list<std::pair<std::string, std::shared_ptr<KeptKernel>>> kernels = {};  // last used first
  };

  const Executor& executor() const { return context_->executor; }
  const cl::CommandQueue& queue() const { return context_->queue; }
  // Opens the device afresh: some drivers refuse everything once a launch has failed. Throws Error.
  void reopen();
  // Operands of a seed, and the sampler of options: each kept as long as the same is asked for.
  // Without a timer on the device samples are wall times, whatever the options say.
  OperandPool& operands(std::uint64_t seed);
  const Sampler& sampler(const MeasureOptions& options);
  bool uses_device_time(const MeasureOptions& options) const;
  // The kernel, or else the request's of that name, kept or loaded; before it is loaded, kBuild is
  // announced for the name. Throws ProfileError, UsageError if there is no such kernel.
  std::variant<std::shared_ptr<KeptKernel>, Rejection> load(const MeasureRequest& request,
                                                            const KernelId& kernel,
                                                            const std::string& name);
  KernelRecord record_of(const std::string& profile, const std::string& name);

  std::string cache_dir_;
  Emit emit_point_ = emit;
  std::mt19937_64 random_{std::random_device()()};  // the order of rounds: differs per process
  std::unique_ptr<Context> context_;
  std::size_t max_kernels_ = 0;  // kept: those used last
  KernelVerifier verifier_;
  std::pair<std::string, Profile> profile_;  // the last that was asked for, by its path
};

}  // namespace tilewright
