// Holds a worker's device, and what is kept between requests to measure kernels on it.
//
// A session keeps its context, queue, operands and loaded kernels from request to request. It
// announces an activity before each step that may crash or hang. Only the worker process includes
// this header; the supervisor never does.
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
#include "tuner/journal/records/worker_protocol.hpp"
#include "tuner/measure/device/device_choice.hpp"
#include "tuner/measure/dispatch_guard.hpp"
#include "tuner/measure/operand_pool.hpp"
#include "tuner/measure/sampler.hpp"

namespace tilewright {

// Turns a point into a kernel.
using Emit = std::function<KernelRecord(const ParameterPoint&)>;

// A loaded kernel, and what its launches have shown.
struct CachedKernel {
  std::unique_ptr<LoadedKernel> kernel;
  // Expected extra time of the first launch in seconds, because some drivers continue compiling
  // then and need about as long again as for the build. 0 if the kernel has been launched before.
  double first_launch_s = 0.0;
  LearnedRate last = {};                       // of the latest launch on any shape
  std::map<std::string, LearnedRate> on = {};  // of the latest launch by shape, as text
};

// An open device with everything that is kept between requests. Not thread-safe.
class DeviceSession {
 public:
  // `cache_dir` is the folder of the binary cache ("": none). `announced` is called before each
  // step that may crash or hang. `sysfs` is where to look for the GPU's clock. Throws Error if the
  // device cannot be opened.
  DeviceSession(const ListedDevice& listed, std::string cache_dir, Announce announced,
                const std::string& sysfs = "/sys");

  const ListedDevice device;
  const DeviceInfo facts;
  const Announce announce;

  // Describes the device. OpenedDevice::failures is empty: the session knows no other devices.
  OpenedDevice opened() const;

  // Runs the micro-benchmarks for rates that are not in `known`. None is started after `max_s`
  // seconds.
  MeasuredRates measure_rates(double max_s, const DeviceRates& known = {},
                              Precision precision = Precision::kSingle);
  // Builds, runs and verifies a product kernel of the built-in profile. Throws Error on failure.
  void health_check();

  // Replaces the function that turns points into kernels. Tests use this to supply wrong kernels.
  void set_emit(Emit emit);

 private:
  friend class Measuring;

  // Everything that belongs to one OpenCL context and is destroyed with it.
  struct Context {
    Context(const cl::Device& device, const std::string& cache_dir);

    Executor executor;
    cl::CommandQueue queue;
    std::optional<std::pair<std::uint64_t, OperandPool>> pool = {};
    MeasureOptions sampled = {};
    std::unique_ptr<Sampler> sampler = {};
    // Most recently used first.
    std::list<std::pair<std::string, std::shared_ptr<CachedKernel>>> kernels = {};
  };

  const Executor& executor() const { return context_->executor; }
  const cl::CommandQueue& queue() const { return context_->queue; }
  // Opens a new context, because some drivers reject every command after a launch has failed.
  // Throws Error.
  void reopen();
  // Return the operands for a seed and the sampler for the options. They are kept until a different
  // seed or different options are requested. Without a timer on the device the samples are wall
  // times, regardless of the options.
  OperandPool& operands(std::uint64_t seed);
  const Sampler& sampler(const MeasureOptions& options);
  // Loads the kernel of an outcome, or the one of the profile that it names, unless it is already
  // loaded. Announces kBuild before that, with `is_new`. Throws ProfileError or UsageError if there
  // is no such kernel.
  std::variant<std::shared_ptr<CachedKernel>, KernelError> load(const std::string& profile,
                                                                const Outcome& of, bool is_new);
  KernelRecord find_record(const std::string& profile, const std::string& name);

  std::string cache_dir_;
  Emit emit_point_ = emit;
  // For the order in rounds, which differs between processes.
  std::mt19937_64 random_{std::random_device()()};
  std::unique_ptr<Context> context_;
  std::size_t max_kernels_ = 0;  // how many loaded kernels are kept
  KernelVerifier verifier_;
  std::pair<std::string, Profile> profile_;  // the profile used last, with its path
};

}  // namespace tilewright
