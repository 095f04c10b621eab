#include "tuner/measure/launch_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "profiles/round_up.hpp"
#include "tuner/records/shapes.hpp"

namespace tilewright {
namespace {

// The first launch of a kind compiles or moves memory on some drivers: a rate is that of a later
// one.
constexpr int kLearningLaunches = 2;

// The rows and columns of a part end where whole chunks do, or where all end.
PackProblem part_of(const PackProblem& whole, const KernelRecord& record, const GemmShape& part) {
  PackProblem problem = whole;
  problem.rows = part.m;
  problem.columns = part.n;
  problem.padded_rows = std::min(whole.padded_rows, round_up(part.m, record.layout_c.chunk_rows()));
  problem.padded_columns =
      std::min(whole.padded_columns, round_up(part.n, record.layout_c.chunk_columns()));
  return problem;
}

}  // namespace

LaunchJob product_job(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                      Pooled<GemmProblem> pooled) {
  const GemmShape whole = pooled.problem.shape;
  return {fmt::format("{} on {}", kernel.record().name, to_text(whole)), whole,
          group_tile(kernel.record()),
          [&executor, queue, &kernel, pooled = std::move(pooled)](const GemmShape& part) {
            GemmProblem problem = pooled.problem;
            problem.shape = part;
            return executor.launch(queue, kernel, problem, {});
          }};
}

LaunchJob packing_job(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                      Pooled<PackProblem> pooled) {
  const PackProblem& all = pooled.problem;
  const KernelRecord& record = kernel.record();
  const GemmShape whole{all.rows, all.columns, 1};
  GroupTile tile = group_tile(record);
  tile.rows = std::lcm(tile.rows, std::int64_t{record.layout_c.chunk_rows()});
  tile.columns = std::lcm(tile.columns, std::int64_t{record.layout_c.chunk_columns()});
  return {fmt::format("{} of {}x{}", record.name, all.rows, all.columns), whole, tile,
          [&executor, queue, &kernel, pooled = std::move(pooled), whole](const GemmShape& part) {
            return executor.launch(
                queue, kernel,
                part == whole ? pooled.problem : part_of(pooled.problem, kernel.record(), part),
                {});
          }};
}

LaunchJob reducing_job(const Executor& executor, const cl::CommandQueue& queue,
                       LoadedKernel& kernel, Pooled<ReduceProblem> pooled) {
  const ReduceProblem& all = pooled.problem;
  const KernelRecord& record = kernel.record();
  return {fmt::format("{} of {} parts of {}x{}", record.name, all.num_parts, all.m, all.n),
          {all.m, all.n, 1},
          group_tile(record),
          [&executor, queue, &kernel, pooled = std::move(pooled)](const GemmShape& part) {
            ReduceProblem problem = pooled.problem;
            problem.m = part.m;
            problem.n = part.n;
            return executor.launch(queue, kernel, problem, {});
          }};
}

namespace {

// Of a matrix that stays where it is: `launch` runs the problem.
template <class Problem, class LaunchProblem>
LaunchJob layer_job(const KernelRecord& record, Pooled<Problem> pooled, LaunchProblem launch) {
  const GemmShape whole{pooled.problem.m, pooled.problem.n, 1};
  return {fmt::format("{} on {}x{}", record.name, whole.m, whole.n), whole, group_tile(record),
          [pooled = std::move(pooled), launch](const GemmShape& part) {
            Problem problem = pooled.problem;
            problem.m = problem.padded_m = part.m;
            problem.n = problem.padded_n = part.n;
            return launch(problem);
          }};
}

}  // namespace

LaunchJob activation_job(const Executor& executor, const cl::CommandQueue& queue,
                         LoadedKernel& kernel, Pooled<ActivationProblem> pooled) {
  return layer_job(kernel.record(), std::move(pooled),
                   [&executor, queue, &kernel](const ActivationProblem& problem) {
                     return executor.launch(queue, kernel, problem, {});
                   });
}

LaunchJob softmax_job(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
                      Pooled<SoftmaxProblem> pooled) {
  return layer_job(kernel.record(), std::move(pooled),
                   [&executor, queue, &kernel](const SoftmaxProblem& problem) {
                     return executor.launch(queue, kernel, problem, {});
                   });
}

Reached reach(const Sampler& sampler, const LaunchJob& job, double max_dispatch_ns,
              LearnedRate& rate) {
  while (true) {
    const DispatchStep step = next_step(job.whole, job.tile, rate, max_dispatch_ns);
    switch (step.kind) {
      case DispatchStep::Kind::kMeasure:
        return Reach{step.part, step.expected_ns,
                     step.part == job.whole ? 1.0 : flops(job.whole) / flops(step.part)};
      case DispatchStep::Kind::kTooSlow:
        return TooSlow{fmt::format(
            "{}: one row of its work-groups would take {:.3g} ms, the longest dispatch allowed is "
            "{:.3g} ms",
            job.what, 1e-6 * step.expected_ns, 1e-6 * max_dispatch_ns)};
      case DispatchStep::Kind::kLearn:
        break;
    }
    double least_ns = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kLearningLaunches; ++i) {
      Timed timed = sampler.once([&] { return job.launch(step.part); }, job.what);
      if (auto* rejection = std::get_if<Rejection>(&timed)) return std::move(*rejection);
      least_ns = std::min(least_ns, std::get<double>(timed));
    }
    rate = {least_ns / flops(step.part), flops(step.part)};
  }
}

}  // namespace tilewright
