#include "tuner/measure/session/device_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "codelets/space/generic_profile.hpp"
#include "profiles/base/usage_error.hpp"
#include "profiles/profile_text.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/device_identity.hpp"
#include "tuner/measure/device/device_queue.hpp"
#include "tuner/measure/rates/device_rates.hpp"

namespace tilewright {
namespace {

constexpr double kMicroBenchmarks_s = 10.0;  // for all of them, including compilation

Executor make_executor(const cl::Device& device, const std::string& cache_dir) {
  // A driver that compiles at the first launch keeps the result itself and needs no second cache.
  // Retrieving its binary would take as long as compiling.
  const bool caches = !cache_dir.empty() && !compiles_at_launch(device);
  return {create_context(device), device,
          caches ? std::make_shared<BinaryCache>(cache_dir) : nullptr};
}

}  // namespace

DeviceSession::Context::Context(const cl::Device& device, const std::string& cache_dir)
    : executor(make_executor(device, cache_dir)), queue(timed_queue(executor.context(), device)) {}

DeviceSession::DeviceSession(const ListedDevice& listed, std::string cache_dir, Announce announced,
                             const std::string& sysfs)
    : device(listed),
      facts(describe_device(listed, sysfs)),
      announce(std::move(announced)),
      cache_dir_(std::move(cache_dir)) {
  reopen();
}

void DeviceSession::reopen() {
  context_.reset();  // only one context at a time
  context_ = std::make_unique<Context>(device.device, cache_dir_);
}

OperandPool& DeviceSession::operands(std::uint64_t seed) {
  auto& pool = context_->pool;
  if (!pool || pool->first != seed) {
    pool.reset();
    pool.emplace(seed, OperandPool(executor(), queue(), seed));
  }
  return pool->second;
}

OpenedDevice DeviceSession::opened() const {
  return {facts, {}, is_timed(queue())};
}

const Sampler& DeviceSession::sampler(const MeasureOptions& asked) {
  MeasureOptions options = asked;
  options.event_time = asked.event_time && is_timed(queue());
  if (context_->sampler == nullptr || context_->sampled != options) {
    // Clocks under devfreq do not belong to a CPU.
    const bool has_clock = facts.kind == DeviceKind::kGpu;
    context_->sampler = std::make_unique<Sampler>(
        executor(), queue(), options, has_clock ? ClockReader(options.sysfs) : ClockReader());
    context_->sampled = options;
  }
  return *context_->sampler;
}

KernelRecord DeviceSession::find_record(const std::string& profile, const std::string& name) {
  if (profile_.first != profile) {
    profile_ = {profile, profile == kBuiltInProfile
                             ? parse_profile(generic_profile_text(), "built-in profile")
                             : load_profile(profile)};
  }
  if (const KernelRecord* record = find_kernel(profile_.second, name)) return *record;
  throw UsageError(fmt::format("{} has no kernel '{}'", profile, name));
}

std::variant<std::shared_ptr<CachedKernel>, KernelError> DeviceSession::load(
    const std::string& profile, const Outcome& of, bool is_new) {
  const KernelId& kernel = of.kernel;
  const std::string key = kernel.empty() ? profile + '\n' + of.name : kernel.text();
  auto& kernels = context_->kernels;
  const auto known = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const auto& kept) { return kept.first == key; });
  if (known != kernels.end()) {
    kernels.splice(kernels.begin(), kernels, known);
    return known->second;
  }
  announce({WorkerActivityKind::kBuild, of.label(), 0.0, "", is_new});
  const auto start = std::chrono::steady_clock::now();
  Loaded loaded =
      executor().load(kernel.empty() ? find_record(profile, of.name) : emit_point_(kernel.point()));
  if (auto* kernel_error = std::get_if<KernelError>(&loaded)) return std::move(*kernel_error);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  auto kept = std::make_shared<CachedKernel>(
      CachedKernel{std::move(std::get<std::unique_ptr<LoadedKernel>>(loaded)), took.count()});
  kernels.emplace_front(key, kept);
  while (kernels.size() > max_kernels_) kernels.pop_back();
  return kept;
}

void DeviceSession::set_emit(Emit emit) {
  emit_point_ = std::move(emit);
  reopen();  // The loaded kernels came from the old function.
}

MeasuredRates DeviceSession::measure_rates(double max_s, const DeviceRates& known,
                                           Precision precision) {
  announce({WorkerActivityKind::kBuild, kMicroBenchmarks, kMicroBenchmarks_s});
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return spent.count() > max_s;
  };
  return measure_device_rates(device, is_over, known, {precision});
}

void DeviceSession::health_check() {
  std::string reason = "the built-in profile has no product kernel";
  for (const KernelRecord& record : basic_profile().kernels) {
    if (record.role != Role::kGemm) continue;
    announce({WorkerActivityKind::kBuild, "health check: " + record.point, 0.0});
    Loaded loaded = executor().load(record);
    if (const auto* kernel_error = std::get_if<KernelError>(&loaded)) {
      reason = kernel_error->reason;
      // The next kernel may need fewer resources.
      if (kernel_error->kind == FailureKind::kLimits) continue;
      break;
    }
    announce({WorkerActivityKind::kLaunch, "health check: " + record.point, 0.0});
    const auto kernel_error =
        check_kernel(executor(), queue(), *std::get<std::unique_ptr<LoadedKernel>>(loaded));
    if (!kernel_error) return;
    reason = kernel_error->reason;
    break;
  }
  throw Error(TW_OPENCL_ERROR,
              fmt::format("the device '{}' cannot run even the built-in kernel: {}",
                          facts.identity.name, reason));
}

}  // namespace tilewright
