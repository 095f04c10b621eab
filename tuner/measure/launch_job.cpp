#include "tuner/measure/launch_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tuner/journal/records/shapes.hpp"

namespace tilewright {
namespace {

// On some drivers the first launch of a kind compiles or moves memory, so the rate is the best of
// two.
constexpr int kLearningLaunches = 2;

}  // namespace

Launch again(const Executor& executor, const cl::CommandQueue& queue, LoadedKernel& kernel,
             const KernelLaunch& launch) {
  return [&executor, queue, &kernel, launch] { return executor.launch(queue, kernel, launch, {}); };
}

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

}  // namespace tilewright
