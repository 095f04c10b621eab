#include "tuner/pack_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "codelets/pack_codelet.hpp"
#include "runtime/opencl_error.hpp"
#include "tuner/measurement.hpp"
#include "tuner/statistics.hpp"

namespace tilewright {
namespace {

constexpr PackPoint kPoints[] = {{1, 1}, {4, 1}, {8, 1}, {16, 1}, {1, 8}, {1, 16}, {4, 8}, {8, 8}};
constexpr std::int64_t kTimedExtent = 1000;
constexpr int kSamples = 7;

cl::Buffer buffer_of(const cl::Context& context, const std::vector<float>& data) {
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, data.size() * sizeof(float),
                    const_cast<float*>(data.data()), &code);
  check_opencl(code, "clCreateBuffer (packing)");
  return buffer;
}

// Median time of a pack in ns, or infinity if it fails.
double time_pack(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                 const MatrixArgument& from, const MatrixArgument& to) {
  std::vector<double> samples;
  for (int i = 0; i <= kSamples; ++i) {
    const Launched launched =
        executor.pack(queue, kernel, kTimedExtent, kTimedExtent, from, to, {});
    const auto* event = std::get_if<cl::Event>(&launched);
    if (event == nullptr || event->wait() != CL_SUCCESS)
      return std::numeric_limits<double>::infinity();
    const std::optional<double> ns = event_ns(*event);
    if (!ns) return std::numeric_limits<double>::infinity();
    if (i > 0) samples.push_back(*ns);  // the first warms up
  }
  return quantile(samples, 0.5);
}

}  // namespace

std::optional<Rejection> verify_pack(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel) {
  constexpr std::int64_t rows = 37;
  constexpr std::int64_t columns = 53;
  constexpr std::size_t ld_from = 41;
  constexpr std::size_t ld_to = 59;
  constexpr std::size_t offset = 3;
  std::vector<float> from(offset + ld_from * columns);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  std::vector<float> want(offset + ld_to * rows, -1.0f);
  const std::vector<float> before = want;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      want[offset + i * ld_to + j] = from[offset + j * ld_from + i];
    }
  }
  const cl::Buffer source = buffer_of(executor.context(), from);
  const cl::Buffer destination = buffer_of(executor.context(), before);
  const Launched launched = executor.pack(queue, kernel, rows, columns, {source(), offset, ld_from},
                                          {destination(), offset, ld_to}, {});
  if (const auto* rejection = std::get_if<Rejection>(&launched)) return *rejection;
  std::vector<float> got(want.size());
  const std::vector<cl::Event> wait_list{std::get<cl::Event>(launched)};
  const cl_int code = queue.enqueueReadBuffer(destination, CL_TRUE, 0, got.size() * sizeof(float),
                                              got.data(), &wait_list);
  if (code != CL_SUCCESS) {
    return Rejection{Stage::kLaunch, kernel.record().name + ": " + opencl_code_text(code), code};
  }
  const auto [wrong, right] = std::mismatch(got.begin(), got.end(), want.begin());
  if (wrong == got.end()) return std::nullopt;
  return Rejection{Stage::kWrong,
                   fmt::format("{}: element {} is {} instead of {}", kernel.record().name,
                               wrong - got.begin(), *wrong, *right)};
}

std::optional<KernelRecord> tune_pack(const Executor& executor, const cl::CommandQueue& queue,
                                      const DeviceLimits& limits) {
  const std::vector<float> zeros(static_cast<std::size_t>(kTimedExtent * kTimedExtent), 0.0f);
  const cl::Buffer from = buffer_of(executor.context(), zeros);
  const cl::Buffer to = buffer_of(executor.context(), zeros);
  const auto ld = static_cast<std::size_t>(kTimedExtent);
  double best_ns = std::numeric_limits<double>::infinity();
  std::optional<KernelRecord> best;
  for (const PackPoint& point : kPoints) {
    if (point.work_group * point.work_group > limits.max_work_group_size) continue;
    const KernelRecord record = emit_pack(point);
    Loaded loaded = executor.load(record);
    if (std::holds_alternative<Rejection>(loaded)) continue;
    LoadedKernel& kernel = *std::get<std::unique_ptr<LoadedKernel>>(loaded);
    if (verify_pack(executor, queue, kernel)) continue;
    const double ns = time_pack(executor, queue, kernel, {from(), 0, ld}, {to(), 0, ld});
    if (ns < best_ns) {
      best_ns = ns;
      best = record;
    }
  }
  return best;
}

}  // namespace tilewright
