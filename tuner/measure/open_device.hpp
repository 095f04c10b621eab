// What of a session lives in one OpenCL context, and must go with it?
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tuner/measure/dispatch_guard.hpp"
#include "tuner/measure/operand_pool.hpp"
#include "tuner/measure/sampler.hpp"

namespace tilewright {

// A kernel, and what launching it has taught.
struct KeptKernel {
  std::unique_ptr<LoadedKernel> kernel;
  // Expected of its first launch: drivers that go on compiling then need about as long again. 0: it
  // has been launched before.
  double first_launch_s = 0.0;
  LearnedRate last = {};                       // whatever the shape
  std::map<std::string, LearnedRate> on = {};  // by shape, as text
};

class OpenDevice {
 public:
  // Throws Error if there is no context or queue to be had.
  OpenDevice(const cl::Device& device, const std::string& cache_dir);
  OpenDevice(const OpenDevice&) = delete;  // members point to each other
  OpenDevice& operator=(const OpenDevice&) = delete;

  const Executor& executor() const { return executor_; }
  const cl::CommandQueue& queue() const { return queue_; }
  // "device time" or "wall time": what samples are with these options.
  std::string timer(const MeasureOptions& options) const;
  // The pool of a seed, and the sampler of options: each kept as long as the same is asked for.
  // Without a timer on the device samples are wall times, whatever the options say.
  OperandPool& pool(std::uint64_t seed);
  const Sampler& sampler(const MeasureOptions& options);

  // Kernels are kept by their name, those that were asked for last: 64, or as many as room was
  // made for. Null: not there.
  std::shared_ptr<KeptKernel> kept(const std::string& name);
  void keep(const std::string& name, std::shared_ptr<KeptKernel> kernel);
  void make_room(std::size_t kernels);

 private:
  Executor executor_;
  cl::CommandQueue queue_;
  std::optional<std::pair<std::uint64_t, OperandPool>> pool_;
  MeasureOptions sampled_;
  std::unique_ptr<Sampler> sampler_;
  std::list<std::pair<std::string, std::shared_ptr<KeptKernel>>> kernels_;  // the last in front
  std::size_t most_kernels_;
};

}  // namespace tilewright
