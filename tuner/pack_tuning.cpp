#include "tuner/pack_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

#include "codelets/emit.hpp"
#include "codelets/space.hpp"
#include "runtime/opencl_error.hpp"
#include "tuner/device_matrix.hpp"
#include "tuner/measurement.hpp"
#include "tuner/statistics.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kTimedExtent = 1000;
constexpr int kSamples = 7;
constexpr int kRandomPoints = 24;

// Points that do well on CPUs and GPUs; random ones of the space join them.
constexpr const char* kKnownPoints[] = {
    "",
    "tile_m=4 tile_n=4 vector_width=4",
    "tile_m=8 tile_n=8 vector_width=8",
    "tile_m=16 tile_n=16 vector_width=16",
    "work_group_m=8 work_group_n=8",
    "work_group_m=16 work_group_n=16",
    "tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8",
    "tile_m=4 work_group_m=8 work_group_n=32 local=yes"};

// The destination's padding: at least a row and a column, and whole chunks.
Storage padded_storage(const KernelRecord& record, std::int64_t rows, std::int64_t columns) {
  const auto up = [](std::int64_t value, int chunk) { return (value / chunk + 1) * chunk; };
  KernelRecord gemm;
  gemm.layout_a = record.layout_c;
  gemm.images.a = record.images.c;
  gemm.edges = Edges::kPadded;
  gemm.multiples = {record.layout_c.chunk_rows(), 1, record.layout_c.chunk_columns()};
  return storage_a(gemm, {up(rows, record.layout_c.chunk_rows()), 1,
                          up(columns, record.layout_c.chunk_columns())});
}

Storage source_storage(const KernelRecord& record, std::int64_t rows, std::int64_t columns) {
  KernelRecord gemm;
  gemm.layout_a = record.layout_a;
  gemm.multiples = {record.layout_a.chunk_rows(), 1, record.layout_a.chunk_columns()};
  return storage_a(gemm, {rows, 1, columns});
}

std::vector<float> read_back(const cl::CommandQueue& queue, const DeviceMatrix& matrix,
                             const Storage& storage, std::size_t elements) {
  std::vector<float> got(elements);
  if (storage.image) {
    const std::array<cl::size_type, 3> origin = {0, 0, 0};
    const std::array<cl::size_type, 3> region = {storage.image_width(), storage.image_height(), 1};
    check_opencl(queue.enqueueReadImage(cl::Image2D(matrix.memory(), true), CL_TRUE, origin, region,
                                        0, 0, got.data()),
                 "clEnqueueReadImage");
  } else {
    check_opencl(queue.enqueueReadBuffer(cl::Buffer(matrix.memory(), true), CL_TRUE, 0,
                                         elements * sizeof(float), got.data()),
                 "clEnqueueReadBuffer");
  }
  return got;
}

// Median time of a pack in ns, or infinity if it fails.
double time_pack(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                 const PackProblem& problem) {
  std::vector<double> samples;
  for (int i = 0; i <= kSamples; ++i) {
    const Launched launched = executor.pack(queue, kernel, problem, {});
    const auto* event = std::get_if<cl::Event>(&launched);
    if (event == nullptr || event->wait() != CL_SUCCESS)
      return std::numeric_limits<double>::infinity();
    const std::optional<double> ns = event_ns(*event);
    if (!ns) return std::numeric_limits<double>::infinity();
    if (i > 0) samples.push_back(*ns);  // the first warms up
  }
  return quantile(samples, 0.5);
}

std::vector<ParameterPoint> candidates(const ParameterPoint& demand, const SpaceLimits& limits) {
  std::vector<ParameterPoint> points;
  for (const char* known : kKnownPoints) {
    auto point = std::get<PackPoint>(parse_point(fmt::format("pack {}", known)));
    point.from = std::get<PackPoint>(demand).from;
    point.to = std::get<PackPoint>(demand).to;
    if (broken_rule(point, limits) == nullptr) points.emplace_back(point);
  }
  const Space space(demand, limits);
  std::mt19937_64 random(1);
  for (int i = 0; i < kRandomPoints; ++i) {
    if (const auto point = space.draw(random)) points.push_back(*point);
  }
  return points;
}

}  // namespace

std::optional<Rejection> verify_pack(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel) {
  const KernelRecord& record = kernel.record();
  constexpr std::int64_t rows = 37;
  constexpr std::int64_t columns = 53;
  const Storage from_storage = source_storage(record, rows, columns);
  const Storage to_storage = padded_storage(record, rows, columns);
  const ElementOf value = [](std::int64_t i, std::int64_t j) {
    return static_cast<float>(i * 1000 + j + 1);
  };
  const ElementOf nothing = [](std::int64_t, std::int64_t) { return -2.0f; };
  const Placement placement{3, 5, 7};
  const DeviceMatrix from = upload(executor.context(), from_storage,
                                   lay_out(from_storage, rows, columns, value, placement, -1.0f));
  const DeviceMatrix to =
      upload(executor.context(), to_storage,
             lay_out(to_storage, to_storage.rows, to_storage.columns, nothing, placement, -1.0f));
  const HostStorage want = lay_out(to_storage, rows, columns, value, placement, -1.0f);
  const Launched launched = executor.pack(
      queue, kernel,
      {rows, columns, to_storage.rows, to_storage.columns, from.argument(), to.argument()}, {});
  if (const auto* rejection = std::get_if<Rejection>(&launched)) return *rejection;
  const cl_int code = std::get<cl::Event>(launched).wait();
  if (code != CL_SUCCESS) {
    return Rejection{Stage::kLaunch, record.name + ": " + opencl_code_text(code), code};
  }
  const std::vector<float> got = read_back(queue, to, to_storage, want.data.size());
  const auto [wrong, right] = std::mismatch(got.begin(), got.end(), want.data.begin());
  if (wrong == got.end()) return std::nullopt;
  return Rejection{Stage::kWrong, fmt::format("{}: element {} is {} instead of {}", record.name,
                                              wrong - got.begin(), *wrong, *right)};
}

std::optional<KernelRecord> tune_pack(const Executor& executor, const cl::CommandQueue& queue,
                                      const SpaceLimits& limits, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(seconds));
  KernelRecord plain;
  const KernelWorkload matrices(executor.context(), plain,
                                {kTimedExtent, kTimedExtent, kTimedExtent}, 1);
  const PackProblem problem{kTimedExtent, kTimedExtent,         kTimedExtent,
                            kTimedExtent, matrices.problem().a, matrices.problem().c};
  double best_ns = std::numeric_limits<double>::infinity();
  std::optional<KernelRecord> best;
  for (const ParameterPoint& point : candidates(PackPoint{}, limits)) {
    if (best && Clock::now() > end) break;
    const KernelRecord record = emit(point);
    Loaded loaded = executor.load(record);
    if (std::holds_alternative<Rejection>(loaded)) continue;
    LoadedKernel& kernel = *std::get<std::unique_ptr<LoadedKernel>>(loaded);
    if (verify_pack(executor, queue, kernel)) continue;
    const double ns = time_pack(executor, queue, kernel, problem);
    if (ns < best_ns) {
      best_ns = ns;
      best = record;
    }
  }
  return best;
}

}  // namespace tilewright
