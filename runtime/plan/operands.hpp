// How do the matrices of a product come to where its kernel wants them, and back?
//
// A route is a plan whose kernels are loaded. Enqueuing it makes one chain of commands: packing,
// the product, and what brings its result into the caller's C.
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

// How the matrices of a product lie in memory for the kernels of a route.
struct OperandStorage {
  Storage a;
  Storage b;
  // Between the product and C: C in the kernel's layout, or the parts of a split k.
  std::optional<Storage> between;
};

struct Route {
  GemmPlan plan;
  PerStep<LoadedKernel*> kernels;  // null where the plan has nothing to do
  OperandStorage storage;          // computed once, because constructing a Layout allocates

  // The kernels that are not null, in the order in which they run.
  std::vector<const LoadedKernel*> in_order() const;
};

// The plan with its kernels, each the first of its choices that loads; nullopt if one that it needs
// does not. `load`: the kernel of a record, or null.
std::optional<Route> load_route(GemmPlan plan,
                                const std::function<LoadedKernel*(const KernelRecord&)>& load);

// Does one launch of it do several products (GemmProblem::batch)? Where there is nothing but a
// batched kernel.
bool does_batches(const Route& route);

// The same for a product of this shape.
OperandStorage operand_storage(const Route& route, const GemmShape& shape);

// Is told of each command that is enqueued.
using CommandObserver = std::function<void(const KernelRecord&, const cl::Event&)>;

// What a call brings with it.
struct AtHand {
  bool packed_a = false;     // the problem's A lies as the kernel wants it
  bool packed_b = false;     // B likewise
  MatrixArgument workspace;  // buffer and offset for what is between the product and C; null: none
  MatrixArgument pack_a_to;  // likewise for packed A, if it is no image
  const CommandObserver* observer = nullptr;
  std::size_t c_elements = 0;  // that C takes in memory, where it is finished along memory
};

// Enqueues the route's commands after the events of wait_list; the event completes when C is
// written. C is only packed if beta is not 0. Temporaries come from the pool (null: they are made
// for the call); they may be larger than the problem's matrices. Throws Error if a command is
// refused: those before it stay enqueued. But for what finishes it in place, C is only written by
// the last one.
cl::Event enqueue(const Executor& executor, TemporaryPool* pool, const cl::CommandQueue& queue,
                  const Route& route, const GemmProblem& problem,
                  std::span<const cl::Event> wait_list, const AtHand& at_hand = {});

// Enqueues one command (`enqueue` returns Launched); if that fails for lack of memory, once more
// without what the pool keeps: some drivers make device memory only when a command first uses it.
template <class Enqueue>
Launched launch_with_room(TemporaryPool& pool, const Enqueue& enqueue) {
  Launched launched = enqueue();
  const auto* rejection = std::get_if<Rejection>(&launched);
  if (rejection != nullptr && lacks_memory(rejection->opencl_code) && pool.release_free()) {
    return enqueue();
  }
  return launched;
}

// The event of a command that was enqueued; throws Error if it was refused.
cl::Event event_of(Launched launched);

}  // namespace tilewright
