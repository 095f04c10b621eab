#include "tuner/measure/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "codelets/space/generic_profile.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxLaunchesAtOnce = 256;  // per batch with event times
// Flushing takes longer than most launches, so a sample has few of them.
constexpr int kMaxColdLaunches = 8;
constexpr int kMaxClockChanges = 10;  // attempts to take a sample without a change of the clock
constexpr double kAbsurd = 10.0;      // event time over wall time
// Marks implausible event times; any sum with it is NaN, too
constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();
constexpr double kMinFlushBytes = 32.0 * 1024 * 1024;
constexpr double kFlushedCaches = 4.0;  // times the size of the caches

KernelError failed(const std::string& what, const std::string& why, cl_int code = CL_SUCCESS) {
  return {FailureKind::kLaunch, fmt::format("{}: {}", what, why), code};
}

int launches_for(double ns, double launch_ns, int most) {
  if (!(launch_ns > 0.0)) return 1;
  return static_cast<int>(std::clamp(ns / launch_ns + 1.0, 1.0, static_cast<double>(most)));
}

// Returns the total time of a batch of launches after all have finished.
Timed run_batch(const cl::CommandQueue& queue, const Launch& launch, const SampleRule& rule,
                int launches, const std::string& what) {
  std::vector<cl::Event> events;
  const auto start = Clock::now();
  for (int i = 0; i < launches; ++i) {
    if (rule.before_each) {
      Launched before = rule.before_each();
      if (auto* kernel_error = std::get_if<KernelError>(&before)) return std::move(*kernel_error);
    }
    Launched launched = launch();
    if (auto* kernel_error = std::get_if<KernelError>(&launched)) {
      queue.finish();  // Nothing of this batch may delay the next one.
      return std::move(*kernel_error);
    }
    events.push_back(std::move(std::get<cl::Event>(launched)));
  }
  cl_int code = rule.event_time ? cl::Event::waitForEvents(events) : queue.finish();
  const double wall_ns = ns_since(start);
  for (const cl::Event& event : events) {
    if (code != CL_SUCCESS) break;
    cl_int asked = CL_SUCCESS;
    code = std::min(event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(&asked), CL_SUCCESS);
    if (asked != CL_SUCCESS) code = asked;
  }
  if (code != CL_SUCCESS) return failed(what, opencl_code_text(code), code);
  if (!rule.event_time) return wall_ns;
  double batch_ns = 0.0;
  for (const cl::Event& event : events) batch_ns += event_ns(event).value_or(kNoTime);
  if (makes_sense(batch_ns, wall_ns)) return batch_ns;
  return failed(what, "the driver's event timestamps are unusable");
}

}  // namespace

bool makes_sense(double event_ns, double wall_ns) {
  return event_ns > 0.0 && event_ns <= kAbsurd * wall_ns;
}

// Event times of several batches are added. Wall time is that of a single batch that is long
// enough, after shorter batches that show how many launches it needs. The wait at the end matters
// less in a longer batch, so each batch has at least twice as many launches as the one before.
Timed time_launches(const cl::CommandQueue& queue, const Launch& launch, const SampleRule& rule,
                    double expected_ns, const std::string& what) {
  const int most = rule.before_each  ? kMaxColdLaunches
                   : rule.event_time ? kMaxLaunchesAtOnce
                                     : kMaxLaunchesOfBatch;
  double total_ns = 0.0;
  int launches = 0;
  int at_once = launches_for(rule.min_sample_ns, expected_ns, most);
  while (true) {
    if (!rule.event_time) {
      total_ns = 0.0;
      launches = 0;
    }
    const Timed batch = run_batch(queue, launch, rule, at_once, what);
    if (std::holds_alternative<KernelError>(batch)) return batch;
    total_ns += std::get<double>(batch);
    launches += at_once;
    const double one_ns = total_ns / launches;
    const bool may_go_on = launches < most || (rule.event_time && !rule.before_each);
    if (total_ns >= rule.min_sample_ns || !may_go_on) return one_ns;
    at_once = rule.event_time ? launches_for(rule.min_sample_ns - total_ns, one_ns, most)
                              : std::clamp(launches_for(1.25 * rule.min_sample_ns, one_ns, most),
                                           std::min(2 * launches, most), most);
  }
}

Sampler::Sampler(const Executor& executor, const cl::CommandQueue& queue,
                 const MeasureOptions& options, ClockReader clock)
    : executor_(executor),
      queue_(queue),
      clock_(std::move(clock)),
      rule_{options.sample_ns, options.event_time, {}} {
  if (!options.cold_caches) return;
  if (!options.event_time) {
    throw Error(
        TW_INVALID_VALUE,
        "cold caches cannot be combined with wall time, because the time to flush the caches would "
        "be included; use event time, or warm caches");
  }
  prepare_flush();
}

void Sampler::prepare_flush() {
  const cl::Device& device = executor_.device();
  const double caches = static_cast<double>(device.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>());
  const double most = static_cast<double>(device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
  const double bytes = std::min(std::max(kFlushedCaches * caches, kMinFlushBytes), most);
  const auto extent = static_cast<std::size_t>(std::sqrt(bytes / 2 / sizeof(float)));
  flush_buffer_ = allocate_buffer(executor_.context(), CL_MEM_READ_WRITE,
                                  2 * extent * extent * sizeof(float), "to flush the caches");
  for (const KernelRecord& record : basic_profile().kernels) {
    if (record.role != Role::kPack || flush_kernel_ != nullptr) continue;
    Loaded loaded = executor_.load(record);
    if (auto* kernel = std::get_if<std::unique_ptr<LoadedKernel>>(&loaded)) {
      flush_kernel_ = std::move(*kernel);
    }
  }
  if (flush_kernel_ == nullptr) {
    throw Error(
        TW_OPENCL_ERROR,
        "cannot flush the caches: no pack kernel of the built-in profile works on this device");
  }
  const auto rows = static_cast<std::int64_t>(extent);
  flush_problem_ = {rows,
                    rows,
                    rows,
                    rows,
                    {flush_buffer_(), 0, extent},
                    {flush_buffer_(), extent * extent, extent}};
  rule_.before_each = [this] {
    return executor_.launch(queue_, *flush_kernel_, flush_problem_, {});
  };
  for (int i = 0; i < 2; ++i) {  // On some drivers the first launch compiles.
    const Timed timed = time_launches(queue_, rule_.before_each, {1.0, true, {}}, 0.0, "flushing");
    if (const auto* kernel_error = std::get_if<KernelError>(&timed)) {
      throw Error(TW_OPENCL_ERROR, "cannot flush the caches: " + kernel_error->reason);
    }
    flush_ns_ = std::get<double>(timed);
  }
}

Sampled Sampler::sample(const Launch& launch, double expected_ns, const std::string& what) const {
  Sample sample;
  for (int changes = 0; changes < kMaxClockChanges; ++changes) {
    const std::int64_t before = clock_.now_hz();
    Timed timed = time_launches(queue_, launch, rule_, expected_ns, what);
    if (auto* kernel_error = std::get_if<KernelError>(&timed)) return std::move(*kernel_error);
    sample.ns = std::get<double>(timed);
    sample.clock_hz = {before, clock_.now_hz()};
    if (!sample.clock_moved()) return sample;
    sample.rejected_ns.push_back(sample.ns);
  }
  // A clock that never settles is not the kernel's fault, so the last sample is used.
  sample.rejected_ns.pop_back();
  return sample;
}

Timed Sampler::once(const Launch& launch, const std::string& what) const {
  return time_launches(queue_, launch, {1.0, rule_.event_time, {}}, 0.0, what);
}

double Sampler::expected_s(double expected_ns) const {
  if (!rule_.before_each) return 1e-9 * std::max(2.0 * rule_.min_sample_ns, expected_ns);
  return 1e-9 * kMaxColdLaunches * (expected_ns + flush_ns_);
}

}  // namespace tilewright
