// Launch jobs: kernel launches that are repeated while they are timed, whole or in part.
//
// Products and auxiliary kernels are treated in the same way. A job has an extent, the tile of a
// work-group, and a function that launches any part of it.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "tuner/measure/dispatch_guard.hpp"
#include "tuner/measure/operand_pool.hpp"
#include "tuner/measure/sampler.hpp"

namespace tilewright {

// A repeatable launch.
struct LaunchJob {
  std::string what;  // kernel and extents, for messages
  GemmShape whole;   // the complete problem; for kernels other than products {rows, columns, 1}
  GroupTile tile;
  // Returns a Launch of that part, which must not outlive the job.
  std::function<Launch(const GemmShape& part)> launch;
};

// The part of a job that may be launched at once.
struct DispatchPart {
  GemmShape part;
  double expected_ns = 0.0;  // predicted time of the part
  double scale = 1.0;        // flops of the whole job divided by flops of the part
};
// The job would exceed the time limit even with one row of work-groups.
struct ExceedsDispatchLimit {
  std::string reason;
};
// A part that may be launched, or why there is none.
using DispatchPartResult = std::variant<DispatchPart, ExceedsDispatchLimit, KernelError>;

// Returns the largest part of a job whose predicted time is at most `max_dispatch_ns`, for the
// caller to launch. If `rate` does not suffice to predict it, small parts are launched first, then
// larger ones, and the measured rate is stored in `rate`. Returns ExceedsDispatchLimit if even one
// row of work-groups takes longer, and the KernelError of a launch that fails.
DispatchPartResult find_dispatch_part(const Sampler& sampler, const LaunchJob& job,
                                      double max_dispatch_ns, LearnedRate& rate);

// Creates a job that runs the kernel on operands of the pool. A product kernel computes `shape`.
// Kernels of other roles need shape.k == 1 and process shape.m x shape.n elements, except reduction
// kernels, which always add the same number of parts of a fixed size. Returns a KernelError of
// kind kLimits if the kernel does not support the shape. Pool and kernel must outlive the job.
std::variant<LaunchJob, KernelError> make_job(OperandPool& pool, LoadedKernel& kernel,
                                              const GemmShape& shape);

}  // namespace tilewright
