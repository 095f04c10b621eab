#include "tuner/measure/kernel_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "profiles/round_up.hpp"
#include "tuner/journal/records/shapes.hpp"

namespace tilewright {
namespace {

// On some drivers the first launch of a kind compiles or moves memory, so the rate is the best of
// two.
constexpr int kLearningLaunches = 2;

// A reduction is timed on this many parts, each with this many rows and columns.
constexpr int kTimedParts = 4;
constexpr std::int64_t kTimedPartExtent = 500;

// Arguments with which an activation is timed. It is applied in place again and again, so its
// values must not shrink to denormals. The arguments are valid as slope, as slope and shift, and as
// low and high.
constexpr ActivationArguments kTimedArguments = {1.0f, 2.0f};

using MadeJob = std::variant<LaunchJob, KernelError>;

// Returns the problem restricted to `part`. For a pack kernel, rows and columns are padded to whole
// chunks, but not beyond the padding of the whole problem.
GemmProblem limit_problem(GemmProblem problem, const KernelRecord& record, const GemmShape& part) {
  problem.shape = part;
  // The memory for parts is that of the whole problem.
  if (problem.division) problem.division = undivided(record, part);
  return problem;
}
PackProblem limit_problem(PackProblem problem, const KernelRecord& record, const GemmShape& part) {
  const Layout& layout = record.layout_c;
  problem.rows = part.m;
  problem.columns = part.n;
  problem.padded_rows = std::min(problem.padded_rows, round_up(part.m, layout.chunk_rows()));
  problem.padded_columns =
      std::min(problem.padded_columns, round_up(part.n, layout.chunk_columns()));
  return problem;
}
ReduceProblem limit_problem(ReduceProblem problem, const KernelRecord&, const GemmShape& part) {
  problem.m = part.m;
  problem.n = part.n;
  return problem;
}
template <class LayerProblem>
LayerProblem limit_problem(LayerProblem problem, const KernelRecord&, const GemmShape& part) {
  problem.m = problem.padded_m = part.m;
  problem.n = problem.padded_n = part.n;
  return problem;
}

// Creates the job for a problem. `on` describes the problem; it follows the kernel's name in
// messages.
template <class Problem>
MadeJob job_on(const OperandPool& pool, LoadedKernel& kernel,
               std::variant<Pooled<Problem>, KernelError> made, const GemmShape& whole,
               const std::string& on) {
  if (auto* failure = std::get_if<KernelError>(&made)) return std::move(*failure);
  const KernelRecord& record = kernel.record();
  GroupTile tile = group_tile(record);
  if (record.role == Role::kPack) {
    tile.rows = std::lcm(tile.rows, std::int64_t{record.layout_c.chunk_rows()});
    tile.columns = std::lcm(tile.columns, std::int64_t{record.layout_c.chunk_columns()});
  }
  return LaunchJob{record.name + on, whole, tile,
                   [&pool, &kernel, &record, whole,
                    pooled = std::move(std::get<Pooled<Problem>>(made))](const GemmShape& part) {
                     const Problem problem = part == whole
                                                 ? pooled.problem
                                                 : limit_problem(pooled.problem, record, part);
                     return [&pool, &kernel, launch = make_launch(record, problem)] {
                       return pool.executor().launch(pool.queue(), kernel, launch, {});
                     };
                   }};
}

}  // namespace

DispatchPartResult find_dispatch_part(const Sampler& sampler, const LaunchJob& job,
                                      double max_dispatch_ns, LearnedRate& rate) {
  while (true) {
    const DispatchStep step = next_step(job.whole, job.tile, rate, max_dispatch_ns);
    switch (step.kind) {
      case DispatchStep::Kind::kMeasure:
        return DispatchPart{step.part, step.expected_ns,
                            step.part == job.whole ? 1.0 : flops(job.whole) / flops(step.part)};
      case DispatchStep::Kind::kTooSlow:
        return ExceedsDispatchLimit{fmt::format(
            "{}: one row of work-groups would take {:.3g} ms, but --max-dispatch is {:.3g} ms",
            job.what, 1e-6 * step.expected_ns, 1e-6 * max_dispatch_ns)};
      case DispatchStep::Kind::kLearn:
        break;
    }
    double min_ns = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kLearningLaunches; ++i) {
      Timed timed = sampler.once(job.launch(step.part), job.what);
      if (auto* kernel_error = std::get_if<KernelError>(&timed)) return std::move(*kernel_error);
      min_ns = std::min(min_ns, std::get<double>(timed));
    }
    rate = {min_ns / flops(step.part), flops(step.part)};
  }
}

std::variant<LaunchJob, KernelError> make_job(OperandPool& pool, LoadedKernel& kernel,
                                              const GemmShape& shape) {
  const KernelRecord& record = kernel.record();
  if (is_product(record.role)) {
    return job_on(pool, kernel, pool.product(record, shape), shape, " on " + to_text(shape));
  }
  if (shape.k != 1)
    return KernelError{FailureKind::kLimits, record.name + " is not a product kernel"};
  const std::string extents = fmt::format("{}x{}", shape.m, shape.n);
  switch (record.role) {
    case Role::kActivation:
      return job_on(pool, kernel, pool.activation(record, shape.m, shape.n, kTimedArguments), shape,
                    " on " + extents);
    case Role::kSoftmax:
      return job_on(pool, kernel, pool.softmax(record, shape.m, shape.n), shape, " on " + extents);
    case Role::kReduce:
      break;
    default:
      return job_on(pool, kernel, pool.packing(record, shape.m, shape.n), shape, " of " + extents);
  }
  KernelRecord gemm;
  gemm.split_k = kTimedParts;
  const GemmShape parts{kTimedPartExtent, kTimedPartExtent, 1};
  return job_on(pool, kernel, pool.reducing(record, gemm, parts), parts,
                fmt::format(" of {} parts of {}x{}", kTimedParts, parts.m, parts.n));
}

}  // namespace tilewright
