#include "runtime/plan/operands.hpp"

#include <optional>
#include <utility>

#include "runtime/call/storage.hpp"
#include "runtime/plan/layer_kernels.hpp"

namespace tilewright {
namespace {

// The commands of one call, each of which waits for the one before it.
class Chain {
 public:
  Chain(const Executor& executor, TemporaryPool& pool, const cl::CommandQueue& queue,
        std::span<const cl::Event> wait_list, const AtHand& at_hand)
      : executor_(executor),
        pool_(pool),
        queue_(queue),
        waits_(wait_list),
        at_hand_(at_hand),
        temporaries_(pool, queue) {}

  // For what is between the product and C.
  MatrixArgument between(const Storage& storage) { return place(storage, at_hand_.workspace); }
  // A packed copy of A or B, where the caller has room for it or in a temporary.
  MatrixArgument packed_a(LoadedKernel& kernel, const Storage& to, const GemmProblem& problem) {
    const MatrixArgument at = place(to, at_hand_.pack_a_to);
    pack_to(at, kernel, to, problem.shape.m, problem.shape.k, problem.a);
    return at;
  }
  MatrixArgument packed_b(LoadedKernel& kernel, const Storage& to, const GemmProblem& problem) {
    const MatrixArgument at = place(to, {});
    pack_to(at, kernel, to, problem.shape.k, problem.shape.n, problem.b);
    return at;
  }
  void pack_to(const MatrixArgument& place, LoadedKernel& kernel, const Storage& to,
               std::int64_t rows, std::int64_t columns, const MatrixArgument& from);
  void pack(LoadedKernel& kernel, const PackProblem& problem) {
    launch(kernel, [&] { return executor_.pack(queue_, kernel, problem, waits_); });
  }
  void gemm(LoadedKernel& kernel, const GemmProblem& problem) {
    launch(kernel, [&] { return executor_.gemm(queue_, kernel, problem, waits_); });
  }
  void reduce(LoadedKernel& kernel, const ReduceProblem& problem) {
    launch(kernel, [&] { return executor_.reduce(queue_, kernel, problem, waits_); });
  }
  void activation(LoadedKernel& kernel, const ActivationProblem& problem) {
    launch(kernel, [&] { return executor_.activation(queue_, kernel, problem, waits_); });
  }
  const cl::Event& last() const { return last_; }

 private:
  MatrixArgument place(const Storage& storage, const MatrixArgument& room) {
    if (room.buffer != nullptr && !storage.image) return {room.buffer, room.offset, storage.ld};
    return {temporaries_.take(storage), 0, storage.ld};
  }
  template <class Enqueue>
  void launch(const LoadedKernel& kernel, const Enqueue& enqueue);

  const Executor& executor_;
  TemporaryPool& pool_;
  const cl::CommandQueue& queue_;
  std::span<const cl::Event> waits_;  // of the next command: the call's, then last_
  cl::Event last_;
  const AtHand& at_hand_;
  TemporaryLease temporaries_;
};

template <class Enqueue>
void Chain::launch(const LoadedKernel& kernel, const Enqueue& enqueue) {
  last_ = event_of(launch_with_room(pool_, enqueue));
  waits_ = std::span(&last_, 1);
  temporaries_.enqueued(last_);
  if (at_hand_.observer != nullptr) (*at_hand_.observer)(kernel.record(), last_);
}

void Chain::pack_to(const MatrixArgument& place, LoadedKernel& kernel, const Storage& to,
                    std::int64_t rows, std::int64_t columns, const MatrixArgument& from) {
  PackProblem problem = pack_problem(to, rows, columns, from);
  problem.to = place;
  pack(kernel, problem);
}

// The product goes to parts of C, unscaled; adding them up scales them.
void multiply_in_parts(Chain& chain, const Route& route, GemmProblem problem) {
  ReduceProblem sum;
  sum.m = problem.shape.m;
  sum.n = problem.shape.n;
  sum.num_parts = route.gemm->record().split_k;
  sum.alpha = std::exchange(problem.alpha, 1.0f);
  sum.beta = std::exchange(problem.beta, 0.0f);
  sum.c = problem.c;
  sum.bias = problem.bias;
  sum.arguments = problem.arguments;
  sum.parts = problem.c = chain.between(*route.places.between);
  chain.gemm(*route.gemm, problem);
  chain.reduce(*route.reduce, sum);
}

void multiply_and_unpack(Chain& chain, const Route& route, GemmProblem problem) {
  const GemmShape& shape = problem.shape;
  const Storage& storage = *route.places.between;
  PackProblem back = unpack_problem(storage, shape.m, shape.n, problem.c);
  back.from = chain.between(storage);
  if (problem.beta != 0.0f) {
    chain.pack_to(back.from, *route.pack_c, storage, shape.m, shape.n, problem.c);
  }
  problem.c = back.from;
  chain.gemm(*route.gemm, problem);
  chain.pack(*route.unpack_c, back);
}

// What is demanded, in place.
void finish(Chain& chain, const Route& route, const GemmProblem& problem, std::size_t c_elements) {
  const MatrixArgument& c = problem.c;
  ActivationProblem work =
      route.plan.finish_along_memory
          ? along_memory(c, c_elements)
          : padded_activation(route.finish->record(), problem.shape.m, problem.shape.n, c, c);
  work.bias = problem.bias;
  work.arguments = problem.arguments;
  chain.activation(*route.finish, work);
}

}  // namespace

cl::Event event_of(Launched launched) {
  if (const auto* rejection = std::get_if<Rejection>(&launched)) {
    throw Error(status_of(rejection->opencl_code), rejection->reason, rejection->opencl_code);
  }
  return std::move(std::get<cl::Event>(launched));
}

std::vector<const LoadedKernel*> Route::in_order() const {
  std::vector<const LoadedKernel*> kernels;
  for (const LoadedKernel* kernel : {pack_a, pack_b, pack_c, gemm, unpack_c, reduce, finish}) {
    if (kernel != nullptr) kernels.push_back(kernel);
  }
  return kernels;
}

std::optional<Route> load_route(GemmPlan plan,
                                const std::function<LoadedKernel*(const KernelRecord&)>& load) {
  // Of the choices that one stays which serves.
  const auto load_any = [&](GemmPlan::Choices& choices, LoadedKernel*& kernel) {
    if (choices.empty()) return true;
    for (const KernelRecord* record : choices) {
      kernel = load(*record);
      if (kernel == nullptr) continue;
      choices = {record};
      return true;
    }
    return false;
  };
  Route route;
  route.gemm = load(*plan.kernel);
  if (route.gemm == nullptr || !load_any(plan.pack_a, route.pack_a) ||
      !load_any(plan.pack_b, route.pack_b) || !load_any(plan.pack_c, route.pack_c) ||
      !load_any(plan.unpack_c, route.unpack_c) || !load_any(plan.reduce, route.reduce) ||
      !load_any(plan.finish, route.finish)) {
    return std::nullopt;
  }
  route.places = places_of(route, plan.shape);
  route.plan = std::move(plan);
  return route;
}

Places places_of(const Route& route, const GemmShape& shape) {
  const KernelRecord& record = route.gemm->record();
  Places places{storage_a(record, shape), storage_b(record, shape), std::nullopt};
  if (route.reduce != nullptr) places.between = storage_parts(record, shape);
  if (route.unpack_c != nullptr) places.between = storage_c(record, shape);
  return places;
}

cl::Event enqueue(const Executor& executor, TemporaryPool* pool, const cl::CommandQueue& queue,
                  const Route& route, const GemmProblem& problem,
                  std::span<const cl::Event> wait_list, const AtHand& at_hand) {
  const Places& places = route.places;
  std::optional<TemporaryPool> none;
  if (pool == nullptr) pool = &none.emplace(allocate_in(executor.context()), 0, 0);
  Chain chain(executor, *pool, queue, wait_list, at_hand);
  GemmProblem packed = problem;
  if (route.pack_a != nullptr && !at_hand.packed_a) {
    packed.a = chain.packed_a(*route.pack_a, places.a, problem);
  }
  if (route.pack_b != nullptr && !at_hand.packed_b) {
    packed.b = chain.packed_b(*route.pack_b, places.b, problem);
  }
  if (route.reduce != nullptr) {
    multiply_in_parts(chain, route, packed);
  } else if (route.unpack_c != nullptr) {
    multiply_and_unpack(chain, route, packed);
  } else {
    chain.gemm(*route.gemm, packed);
  }
  if (route.finish != nullptr) finish(chain, route, problem, at_hand.c_elements);
  return chain.last();
}

ServingLimits serving_limits(const cl::Device& device, const DeviceLimits& limits) {
  ServingLimits offered{limits, 0, 0, device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>()};
  if (limits.image_support) {
    offered.max_image_width = device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>();
    offered.max_image_height = device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>();
  }
  return offered;
}

}  // namespace tilewright
