#include "tuner/measure/open_device.hpp"

#include <algorithm>

#include "runtime/device/device_identity.hpp"
#include "tuner/device/timed_queue.hpp"

namespace tilewright {
namespace {

constexpr std::size_t kUsualKernels = 64;

Executor executor_of(const cl::Device& device, const std::string& cache_dir) {
  // A driver that keeps what it compiles at the first launch needs no second cache, and takes as
  // long to answer with the binary as to compile it.
  const bool caches = !cache_dir.empty() && !compiles_at_launch(device);
  return {create_context(device), device,
          caches ? std::make_shared<BinaryCache>(cache_dir) : nullptr};
}

}  // namespace

OpenDevice::OpenDevice(const cl::Device& device, const std::string& cache_dir)
    : executor_(executor_of(device, cache_dir)),
      queue_(timed_queue(executor_.context(), device)),
      most_kernels_(kUsualKernels) {}

OperandPool& OpenDevice::pool(std::uint64_t seed) {
  if (!pool_ || pool_->first != seed) {
    pool_.reset();
    pool_.emplace(seed, OperandPool(executor_, queue_, seed));
  }
  return pool_->second;
}

std::string OpenDevice::timer(const MeasureOptions& options) const {
  return options.event_time && is_timed(queue_) ? "device time" : "wall time";
}

const Sampler& OpenDevice::sampler(const MeasureOptions& asked) {
  MeasureOptions options = asked;
  options.event_time = options.event_time && is_timed(queue_);
  if (sampler_ == nullptr || sampled_ != options) {
    // The clock of a CPU is not under devfreq: what is there belongs to something else.
    const bool has_clock = device_kind(executor_.device()) == DeviceKind::kGpu;
    sampler_ = std::make_unique<Sampler>(executor_, queue_, options,
                                         has_clock ? ClockReader(options.sysfs) : ClockReader());
    sampled_ = options;
  }
  return *sampler_;
}

std::shared_ptr<KeptKernel> OpenDevice::kept(const std::string& name) {
  const auto known = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const auto& kernel) { return kernel.first == name; });
  if (known == kernels_.end()) return nullptr;
  kernels_.splice(kernels_.begin(), kernels_, known);
  return kernels_.front().second;
}

void OpenDevice::keep(const std::string& name, std::shared_ptr<KeptKernel> kernel) {
  kernels_.emplace_front(name, std::move(kernel));
  while (kernels_.size() > most_kernels_) kernels_.pop_back();
}

void OpenDevice::make_room(std::size_t kernels) {
  most_kernels_ = std::max(kUsualKernels, kernels);
}

}  // namespace tilewright
