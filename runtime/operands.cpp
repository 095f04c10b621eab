#include "runtime/operands.hpp"

#include <optional>
#include <utility>

#include "runtime/opencl_error.hpp"
#include "runtime/storage.hpp"

namespace tilewright {
namespace {

// The commands of one call, each of which waits for the one before it.
class Chain {
 public:
  Chain(const Executor& executor, TemporaryPool& pool, const cl::CommandQueue& queue,
        const std::vector<cl::Event>& wait_list)
      : executor_(executor),
        pool_(pool),
        queue_(queue),
        waits_(wait_list),
        temporaries_(pool, queue) {}

  MatrixArgument allocate(const Storage& storage);
  // The matrix itself if `kernel` is null, else a packed copy.
  MatrixArgument packed(LoadedKernel* kernel, const Storage& to, std::int64_t rows,
                        std::int64_t columns, const MatrixArgument& from);
  void pack(LoadedKernel& kernel, const PackProblem& problem) {
    launch([&] { return executor_.pack(queue_, kernel, problem, waits_); });
  }
  void gemm(LoadedKernel& kernel, const GemmProblem& problem) {
    launch([&] { return executor_.gemm(queue_, kernel, problem, waits_); });
  }
  void reduce(LoadedKernel& kernel, const ReduceProblem& problem) {
    launch([&] { return executor_.reduce(queue_, kernel, problem, waits_); });
  }
  cl::Event last() const { return waits_.front(); }

 private:
  void launch(const std::function<Launched()>& enqueue);

  const Executor& executor_;
  TemporaryPool& pool_;
  const cl::CommandQueue& queue_;
  std::vector<cl::Event> waits_;
  TemporaryLease temporaries_;
};

void Chain::launch(const std::function<Launched()>& enqueue) {
  const Launched launched = launch_with_room(pool_, enqueue);
  if (const auto* rejection = std::get_if<Rejection>(&launched)) {
    throw Error(status_of(rejection->opencl_code), rejection->reason, rejection->opencl_code);
  }
  waits_ = {std::get<cl::Event>(launched)};
  temporaries_.enqueued(waits_.front());
}

MatrixArgument Chain::allocate(const Storage& storage) {
  return {temporaries_.take(storage), 0, storage.ld};
}

MatrixArgument Chain::packed(LoadedKernel* kernel, const Storage& to, std::int64_t rows,
                             std::int64_t columns, const MatrixArgument& from) {
  if (kernel == nullptr) return from;
  PackProblem problem = pack_problem(to, rows, columns, from);
  problem.to = allocate(to);
  pack(*kernel, problem);
  return problem.to;
}

// The product goes to parts of C, unscaled; adding them up scales them.
void multiply_in_parts(Chain& chain, const Route& route, GemmProblem problem) {
  const KernelRecord& record = route.gemm->record();
  ReduceProblem sum;
  sum.m = problem.shape.m;
  sum.n = problem.shape.n;
  sum.num_parts = record.split_k;
  sum.alpha = std::exchange(problem.alpha, 1.0f);
  sum.beta = std::exchange(problem.beta, 0.0f);
  sum.c = problem.c;
  sum.parts = problem.c = chain.allocate(storage_parts(record, problem.shape));
  chain.gemm(*route.gemm, problem);
  chain.reduce(*route.reduce, sum);
}

void multiply_and_unpack(Chain& chain, const Route& route, GemmProblem problem) {
  const GemmShape& shape = problem.shape;
  const Storage storage = storage_c(route.gemm->record(), shape);
  PackProblem back = unpack_problem(storage, shape.m, shape.n, problem.c);
  back.from = route.pack_c == nullptr
                  ? chain.allocate(storage)
                  : chain.packed(route.pack_c, storage, shape.m, shape.n, problem.c);
  problem.c = back.from;
  chain.gemm(*route.gemm, problem);
  chain.pack(*route.unpack_c, back);
}

}  // namespace

std::vector<const LoadedKernel*> Route::in_order() const {
  std::vector<const LoadedKernel*> kernels;
  for (const LoadedKernel* kernel : {pack_a, pack_b, pack_c, gemm, unpack_c, reduce}) {
    if (kernel != nullptr) kernels.push_back(kernel);
  }
  return kernels;
}

Launched launch_with_room(TemporaryPool& pool, const std::function<Launched()>& enqueue) {
  Launched launched = enqueue();
  const auto* rejection = std::get_if<Rejection>(&launched);
  if (rejection != nullptr && lacks_memory(rejection->opencl_code) && pool.release_free()) {
    return enqueue();
  }
  return launched;
}

cl::Event enqueue(const Executor& executor, TemporaryPool* pool, const cl::CommandQueue& queue,
                  const Route& route, const GemmProblem& problem,
                  const std::vector<cl::Event>& wait_list) {
  const KernelRecord& record = route.gemm->record();
  const GemmShape& shape = problem.shape;
  std::optional<TemporaryPool> none;
  if (pool == nullptr) pool = &none.emplace(allocate_in(executor.context()), 0, 0);
  Chain chain(executor, *pool, queue, wait_list);
  GemmProblem packed = problem;
  packed.a = chain.packed(route.pack_a, storage_a(record, shape), shape.m, shape.k, problem.a);
  packed.b = chain.packed(route.pack_b, storage_b(record, shape), shape.k, shape.n, problem.b);
  if (route.reduce != nullptr) {
    multiply_in_parts(chain, route, packed);
  } else if (route.unpack_c != nullptr) {
    multiply_and_unpack(chain, route, packed);
  } else {
    chain.gemm(*route.gemm, packed);
  }
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
