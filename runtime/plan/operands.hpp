// Enqueues a planned product: packs the operands, runs the kernel and stores the result in C.
//
// A route is a plan whose kernels are loaded. Enqueueing it creates one chain of commands.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "runtime/call/opencl_error.hpp"
#include "runtime/device/executor.hpp"
#include "runtime/device/temporary_pool.hpp"
#include "runtime/plan/plan.hpp"

namespace tilewright {

// How the matrices of a product are stored for the kernels of a route.
struct OperandStorage {
  Storage a;
  Storage b;
  // Temporary between the product and C: C in the kernel's layout, or the parts of a split k.
  std::optional<Storage> between;
};

// A plan with loaded kernels.
struct Route {
  GemmPlan plan;
  PerStep<LoadedKernel*> kernels;  // null for steps that the plan does not need
  OperandStorage storage;          // computed once, because constructing a Layout allocates

  // The kernels that are not null, in the order in which they run.
  std::vector<const LoadedKernel*> in_order() const;
};

// Loads the kernels of a plan; for each step the first choice that loads. Returns nullopt if a
// necessary step has none. `load` returns the kernel of a record, or null.
std::optional<Route> load_route(GemmPlan plan,
                                const std::function<LoadedKernel*(const KernelRecord&)>& load);

// True if one launch can compute several products (GemmProblem::batch). This requires that the plan
// consists only of a batched kernel.
bool does_batches(const Route& route);

// The storage for a product of the given shape.
OperandStorage operand_storage(const Route& route, const GemmShape& shape);

// Called for each command that is enqueued.
using CommandObserver = std::function<void(const KernelRecord&, const cl::Event&)>;

// Options for enqueueing a route.
struct EnqueueOptions {
  bool packed_a = false;  // the problem's A is already stored as the kernel requires
  bool packed_b = false;  // the same for B
  // Buffer and offset for the temporary between the product and C; null: none.
  MatrixArgument workspace;
  MatrixArgument pack_a_to;  // the same for the packed A, if it is not an image
  MatrixArgument pack_b_to;  // the same for the packed B
  const CommandObserver* observer = nullptr;
};

// Enqueues the route's commands after the events of wait_list. The returned event completes when C
// is written. C is packed only if beta is not 0. Temporaries come from the pool (null: they are
// allocated for the call) and may be larger than necessary. Throws Error if a command is rejected;
// the commands before it remain enqueued. Only the last command writes C, except for an epilogue
// that is applied in place, and for a product whose last tiles have several parts. If such a
// product has read C (beta is not 0), the error is a PartialResultError without an OpenCL code.
cl::Event enqueue(const Executor& executor, TemporaryPool* pool, const cl::CommandQueue& queue,
                  const Route& route, const GemmProblem& problem,
                  std::span<const cl::Event> wait_list, const EnqueueOptions& enqueue_options = {});

// Enqueues one command (`enqueue` returns Launched). If this fails for lack of memory, frees the
// unused temporaries of the pool and tries again, because some drivers allocate device memory only
// when a command first uses it.
template <class Enqueue>
Launched launch_with_retry(TemporaryPool& pool, const Enqueue& enqueue) {
  Launched launched = enqueue();
  const auto* kernel_error = std::get_if<KernelError>(&launched);
  if (kernel_error != nullptr && lacks_memory(kernel_error->opencl_code) && pool.release_free()) {
    return enqueue();
  }
  return launched;
}

// The event of an enqueued command; throws Error if it was rejected.
cl::Event require_event(Launched launched);

}  // namespace tilewright
