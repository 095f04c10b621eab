#include "tuner/measure/rates/launch_bench.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/call/opencl_error.hpp"
#include "runtime/device/allocate_buffer.hpp"
#include "tuner/journal/records/statistics.hpp"
#include "tuner/measure/device/device_queue.hpp"
#include "tuner/measure/rates/device_rates_kernels.hpp"
#include "tuner/measure/turns.hpp"

namespace tilewright {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBatchRounds = 9;               // samples of batches of launches
constexpr int kRoundTrips = 31;               // samples of one launch with a wait for its end
constexpr std::int64_t kMaxBackToBack = 256;  // launches per batch
constexpr double kLongBatchNs = 2e6;          // batches grow until they take this long

bool enqueue(const cl::CommandQueue& queue, const cl::Kernel& kernel, const cl::NDRange& global,
             const cl::NDRange& local, cl::Event* event) {
  return queue.enqueueNDRangeKernel(kernel, cl::NullRange, global, local, nullptr, event) ==
         CL_SUCCESS;
}

}  // namespace

std::int64_t power_of_two(std::int64_t size, std::int64_t most) {
  while (size > 1 && size > most) size /= 2;
  return size;
}

LaunchBench::LaunchBench(const ListedDevice& device)
    : executor_(create_context(device.device), device.device),
      device_(device),
      timed_(timed_queue(executor_.context(), device.device)),
      untimed_(plain_queue(executor_.context(), device.device)),
      empty_(build(empty_source(), "nothing")) {}

std::optional<cl::Kernel> LaunchBench::build(const std::string& source, const char* name) const {
  cl_int code = CL_SUCCESS;
  const cl::Program program(executor_.context(), source, false, &code);
  if (code != CL_SUCCESS || program.build({executor_.device()}) != CL_SUCCESS) return std::nullopt;
  cl::Kernel kernel(program, name, &code);
  return code == CL_SUCCESS ? std::optional(kernel) : std::nullopt;
}

std::optional<cl::Buffer> LaunchBench::buffer(std::int64_t bytes) const {
  try {
    return allocate_buffer(executor_.context(), CL_MEM_READ_WRITE, static_cast<std::size_t>(bytes),
                           "micro-benchmark");
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::int64_t LaunchBench::work_group(const cl::Kernel& kernel) const {
  const auto most = std::min(
      static_cast<std::int64_t>(kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device_.device)),
      std::min(device_.identity.limits.max_work_group_size,
               device_.identity.limits.max_work_item_sizes[0]));
  return power_of_two(kWorkGroup, most);
}

std::optional<LaunchTimes> LaunchBench::launch(const cl::Kernel& kernel, const cl::NDRange& global,
                                               const cl::NDRange& local) const {
  cl::Event event;
  const Clock::time_point begin = Clock::now();
  if (!enqueue(timed_, kernel, global, local, &event)) return std::nullopt;
  if (event.wait() != CL_SUCCESS) return std::nullopt;
  LaunchTimes times;
  times.wall_ns = ns_since(begin);
  cl_int start_code = CL_SUCCESS;
  cl_int end_code = CL_SUCCESS;
  const cl_ulong start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>(&start_code);
  const cl_ulong end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>(&end_code);
  // If a query fails the times stay 0, and timestamps_make_sense() rejects them.
  if (start_code == CL_SUCCESS && end_code == CL_SUCCESS) {
    times.start_ns = start;
    times.end_ns = end;
  }
  return times;
}

bool LaunchBench::launch_empty(cl::Event* event) const {
  return empty_ && enqueue(untimed_, *empty_, cl::NDRange(1), cl::NDRange(1), event);
}

double LaunchBench::launch_ns() const {
  const RunOfSize batch_ns = [&](std::int64_t count) -> std::optional<double> {
    const Clock::time_point begin = Clock::now();
    for (std::int64_t i = 0; i < count; ++i) {
      if (!launch_empty(nullptr)) return std::nullopt;
    }
    return untimed_.finish() == CL_SUCCESS ? std::optional(ns_since(begin)) : std::nullopt;
  };
  const auto count = grown_size(batch_ns, 1, kMaxBackToBack, kLongBatchNs);
  std::vector<double> samples;
  for (int round = 0; count && round < kBatchRounds; ++round) {
    if (const auto ns = batch_ns(*count)) samples.push_back(*ns / static_cast<double>(*count));
  }
  return samples.empty() ? 0.0 : quantile(samples, 0.5);
}

double LaunchBench::round_trip_ns() const {
  std::vector<double> samples;
  for (int round = 0; round < kRoundTrips; ++round) {
    cl::Event event;
    const Clock::time_point begin = Clock::now();
    if (!launch_empty(&event) || event.wait() != CL_SUCCESS) return 0.0;
    samples.push_back(ns_since(begin));
  }
  return quantile(samples, 0.5);
}

std::vector<LaunchTimes> LaunchBench::empty_launches() const {
  std::vector<LaunchTimes> launches;
  for (std::int64_t i = 0; empty_ && i < kMaxBackToBack; ++i) {
    const auto times = launch(*empty_, cl::NDRange(1), cl::NDRange(1));
    if (!times) return {};
    launches.push_back(*times);
  }
  return launches;
}

LaunchFloor::LaunchFloor(const cl::Context& context, const cl::CommandQueue& queue)
    : queue_(queue) {
  cl_int code = CL_SUCCESS;
  const cl::Program program(context, empty_source(), false, &code);
  check_opencl(code, "clCreateProgramWithSource (empty kernel)");
  check_opencl(program.build({queue.getInfo<CL_QUEUE_DEVICE>()}), "clBuildProgram (empty kernel)");
  kernel_ = cl::Kernel(program, "nothing", &code);
  check_opencl(code, "clCreateKernel (empty kernel)");
}

double LaunchFloor::time_runs(int launches) {
  const double start_s = steady_now_s();
  for (int i = 0; i < launches; ++i) {
    cl::Event done;
    check_opencl(queue_.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(1), cl::NDRange(1),
                                             nullptr, &done),
                 "clEnqueueNDRangeKernel (empty kernel)");
    check_opencl(done.wait(), "clWaitForEvents");
  }
  return steady_now_s() - start_s;
}

}  // namespace tilewright
