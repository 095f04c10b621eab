// How do the matrices of a product come to where its kernel wants them, and back?
//
// A route is a plan whose kernels are loaded. Enqueuing it makes one chain of commands: packing,
// the product, and what brings its result into the caller's C.
#pragma once

#include <functional>
#include <vector>

#include "runtime/executor.hpp"
#include "runtime/plan.hpp"
#include "runtime/temporary_pool.hpp"

namespace tilewright {

// The loaded kernels are null where the plan has nothing to do.
struct Route {
  GemmPlan plan;
  LoadedKernel* pack_a = nullptr;
  LoadedKernel* pack_b = nullptr;
  LoadedKernel* pack_c = nullptr;
  LoadedKernel* gemm = nullptr;
  LoadedKernel* unpack_c = nullptr;
  LoadedKernel* reduce = nullptr;

  // The kernels that are not null, in the order in which they run.
  std::vector<const LoadedKernel*> in_order() const;
};

// Enqueues the route's commands after the events of wait_list; the event completes when C is
// written. Temporaries come from the pool (null: they are made for the call); they may be larger
// than the problem's matrices. Throws Error if a command is refused: those before it stay enqueued,
// but C is only written by the last one.
cl::Event enqueue(const Executor& executor, TemporaryPool* pool, const cl::CommandQueue& queue,
                  const Route& route, const GemmProblem& problem,
                  const std::vector<cl::Event>& wait_list);

// Enqueues one command; if that fails for lack of memory, once more without what the pool keeps:
// some drivers make device memory only when a command first uses it.
Launched launch_with_room(TemporaryPool& pool, const std::function<Launched()>& enqueue);

// What the device offers, for rank_plans.
ServingLimits serving_limits(const cl::Device& device, const DeviceLimits& limits);

}  // namespace tilewright
