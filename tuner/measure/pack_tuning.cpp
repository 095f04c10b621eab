#include "tuner/measure/pack_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "codelets/space/emit.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/check/kernel_check.hpp"
#include "runtime/device/device_matrix.hpp"
#include "runtime/device/own_buffer.hpp"
#include "tuner/measure/launch_job.hpp"
#include "tuner/measure/pack_candidates.hpp"
#include "tuner/measure/reduce_verification.hpp"
#include "tuner/records/statistics.hpp"

namespace tilewright {
namespace {

constexpr int kSamples = 7;
// Parts of a C of this extent are as many elements.
constexpr int kTimedParts = 4;
constexpr std::int64_t kTimedPartExtent = 500;

// Of an activation in place, again and again: what it applies to must not shrink to denormals. They
// make sense as slope, slope and shift, low and high.
constexpr ActivationArguments kTimedArguments = {1.0f, 2.0f};

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
    check_opencl(read_floats(queue, cl::Buffer(matrix.memory(), true), got), "reading a buffer");
  }
  return got;
}

// A context that has refused a launch may refuse all that follow: whoever asks must start anew,
// without this kernel.
void require_launched(const Rejection& rejection) {
  if (rejection.stage == Stage::kLaunch) {
    throw Error(TW_OPENCL_ERROR, rejection.reason, rejection.opencl_code);
  }
}

// What is timed, extent x extent elements of it; of what adds up parts always the same.
std::variant<LaunchJob, Rejection> timed_job(OpenDevice& open, LoadedKernel& kernel,
                                             std::int64_t extent, const MeasureOptions& options) {
  OperandPool& pool = open.pool(options.seed);
  const auto of = [&](auto make, auto pooled) -> std::variant<LaunchJob, Rejection> {
    if (auto* misfit = std::get_if<Rejection>(&pooled)) return std::move(*misfit);
    return make(open.executor(), open.queue(), kernel, std::move(std::get<0>(pooled)));
  };
  switch (kernel.record().role) {
    case Role::kActivation:
      return of(activation_job, pool.activation(kernel.record(), extent, extent, kTimedArguments));
    case Role::kSoftmax:
      return of(softmax_job, pool.softmax(kernel.record(), extent, extent));
    case Role::kReduce:
      break;
    default:
      return of(packing_job, pool.packing(kernel.record(), extent, extent));
  }
  KernelRecord gemm;
  gemm.split_k = kTimedParts;
  return of(reducing_job,
            pool.reducing(kernel.record(), gemm, {kTimedPartExtent, kTimedPartExtent, 1}));
}

std::optional<Rejection> verify_pack(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel, bool on_lines) {
  const KernelRecord& record = kernel.record();
  constexpr std::int64_t rows = 37;
  constexpr std::int64_t columns = 53;
  const Storage from_storage = whole_chunks(record.layout_a, false, rows, columns);
  // With padding: at least a row and a column.
  const Storage to_storage = whole_chunks(record.layout_c, record.images.c, rows + 1, columns + 1);
  const ElementOf value = [](std::int64_t i, std::int64_t j) {
    return static_cast<float>(i * 1000 + j + 1);
  };
  const ElementOf nothing = [](std::int64_t, std::int64_t) { return -2.0f; };
  const Placement placement{3, 5, 7};
  const Placement to_placement = on_lines ? on_cache_lines(to_storage) : placement;
  const DeviceMatrix from = upload(executor.context(), from_storage,
                                   lay_out(from_storage, rows, columns, value, placement, -1.0f));
  const DeviceMatrix to = upload(
      executor.context(), to_storage,
      lay_out(to_storage, to_storage.rows, to_storage.columns, nothing, to_placement, -1.0f));
  const HostStorage want = lay_out(to_storage, rows, columns, value, to_placement, -1.0f);
  const Launched launched =
      executor.launch(queue, kernel,
                      PackProblem{rows, columns, to_storage.rows, to_storage.columns,
                                  from.argument(), to.argument()},
                      {});
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

std::optional<Rejection> verify_auxiliary(const Executor& executor, const cl::CommandQueue& queue,
                                          LoadedKernel& kernel) {
  switch (kernel.record().role) {
    case Role::kReduce:
      return verify_reduce(executor, queue, kernel);
    case Role::kActivation:
    case Role::kSoftmax:
      // The library's own check leaves nothing out of what such kernels do.
      return check_kernel(executor, queue, kernel);
    default:
      return verify_pack(executor, queue, kernel);
  }
}

// Median time in ns; nullopt: it cannot be measured. Throws Error if a launch is refused.
std::optional<double> time_auxiliary(OpenDevice& open, LoadedKernel& kernel, std::int64_t extent,
                                     const MeasureOptions& options) {
  const auto sampled = sample_auxiliary(open, kernel, extent, options);
  if (const auto* rejection = std::get_if<Rejection>(&sampled)) {
    require_launched(*rejection);
    return std::nullopt;
  }
  return quantile(std::get<std::vector<double>>(sampled), 0.5);
}

}  // namespace

std::variant<std::vector<double>, Rejection> sample_auxiliary(OpenDevice& open,
                                                              LoadedKernel& kernel,
                                                              std::int64_t extent,
                                                              const MeasureOptions& options) {
  const Sampler& sampler = open.sampler(options);
  std::variant<LaunchJob, Rejection> timed = timed_job(open, kernel, extent, options);
  if (auto* misfit = std::get_if<Rejection>(&timed)) return std::move(*misfit);
  const LaunchJob& job = std::get<LaunchJob>(timed);
  LearnedRate rate;
  const Reached reached = reach(sampler, job, options.max_dispatch_ns, rate);
  if (const auto* rejection = std::get_if<Rejection>(&reached)) return *rejection;
  if (const auto* slow = std::get_if<TooSlow>(&reached)) {
    return Rejection{Stage::kLimits, slow->reason};
  }
  const Reach& part = std::get<Reach>(reached);
  const Launch launch = [&] { return job.launch(part.part); };
  const Timed warm = sampler.once(launch, job.what);
  if (const auto* rejection = std::get_if<Rejection>(&warm)) return *rejection;
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) {
    const Sampled sampled = sampler.sample(launch, std::get<double>(warm), job.what);
    if (const auto* rejection = std::get_if<Rejection>(&sampled)) return *rejection;
    samples.push_back(std::get<Sample>(sampled).ns * part.scale);
  }
  return samples;
}

std::optional<Rejection> verify_pack(const Executor& executor, const cl::CommandQueue& queue,
                                     LoadedKernel& kernel) {
  if (auto rejection = verify_pack(executor, queue, kernel, false)) return rejection;
  return verify_pack(executor, queue, kernel, true);
}

std::optional<TunedPack> tune_pack(OpenDevice& open, const SpaceLimits& limits,
                                   const PackRequest& request, const EmitPack& emit_point,
                                   const AboutTo& about_to) {
  using Clock = std::chrono::steady_clock;
  const ParameterPoint& demand = request.demand;
  const Codelet codelet = codelet_of(demand);
  if (codelet == Codelet::kGemm || codelet == Codelet::kGemv) {
    throw std::invalid_argument("a product, not what runs beside one: " + to_text(demand));
  }
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(request.seconds));
  const int extent = moved_extent(demand);
  int tried = 0;
  std::optional<TunedPack> best;
  for (const ParameterPoint& point : auxiliary_candidates(demand, request.first, limits)) {
    const bool enough = request.candidates > 0 && tried >= request.candidates;
    if (best && (enough || Clock::now() > end)) break;
    const KernelId wanted(point);
    const std::vector<KernelId>& excluded = request.excluded;
    if (std::find(excluded.begin(), excluded.end(), wanted) != excluded.end()) continue;
    ++tried;
    about_to(PhaseKind::kBuild, wanted.text());
    Loaded loaded = open.executor().load(emit_point(point));
    if (std::holds_alternative<Rejection>(loaded)) continue;
    LoadedKernel& kernel = *std::get<std::unique_ptr<LoadedKernel>>(loaded);
    about_to(PhaseKind::kLaunch, wanted.text());
    if (const auto rejection = verify_auxiliary(open.executor(), open.queue(), kernel)) {
      require_launched(*rejection);
      continue;
    }
    const std::optional<double> ns = time_auxiliary(open, kernel, extent, request.options);
    if (!ns) continue;
    const double ns_per_element = *ns / (static_cast<double>(extent) * extent);
    if (!best || ns_per_element < best->ns_per_element) best = TunedPack{wanted, ns_per_element};
  }
  return best;
}

}  // namespace tilewright
