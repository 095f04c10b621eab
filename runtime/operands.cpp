#include "runtime/operands.hpp"

#include "runtime/opencl_error.hpp"
#include "runtime/storage.hpp"

namespace tilewright {
namespace {

// Memory for a matrix that lives as long as the commands of one call.
cl::Memory temporary(const cl::Context& context, const Storage& storage) {
  cl_int code = CL_SUCCESS;
  if (storage.image) {
    const cl::Image2D image(context, CL_MEM_READ_WRITE, cl::ImageFormat(CL_RGBA, CL_FLOAT),
                            storage.image_width(), storage.image_height(), 0, nullptr, &code);
    check_opencl(code, "clCreateImage (temporary for a packed matrix)");
    return image;
  }
  const cl::Buffer buffer(context, CL_MEM_READ_WRITE, storage.elements * sizeof(float), nullptr,
                          &code);
  check_opencl(code, "clCreateBuffer (temporary for a packed matrix)");
  return buffer;
}

// The commands of one call, each of which waits for the one before it.
class Chain {
 public:
  Chain(const Executor& executor, const cl::CommandQueue& queue,
        const std::vector<cl::Event>& wait_list)
      : executor_(executor), queue_(queue), waits_(wait_list) {}

  MatrixArgument allocate(const Storage& storage);
  // The matrix itself if `kernel` is null, else a packed copy.
  MatrixArgument packed(LoadedKernel* kernel, const Storage& to, std::int64_t rows,
                        std::int64_t columns, const MatrixArgument& from);
  void pack(LoadedKernel& kernel, const PackProblem& problem) {
    took(executor_.pack(queue_, kernel, problem, waits_));
  }
  void gemm(LoadedKernel& kernel, const GemmProblem& problem) {
    took(executor_.gemm(queue_, kernel, problem, waits_));
  }
  void reduce(LoadedKernel& kernel, const ReduceProblem& problem) {
    took(executor_.reduce(queue_, kernel, problem, waits_));
  }
  cl::Event last() const { return waits_.front(); }

 private:
  void took(const Launched& launched);

  const Executor& executor_;
  const cl::CommandQueue& queue_;
  std::vector<cl::Event> waits_;
  std::vector<cl::Memory> temporaries_;
};

void Chain::took(const Launched& launched) {
  if (const auto* rejection = std::get_if<Rejection>(&launched)) {
    throw Error(status_of(rejection->opencl_code), rejection->reason, rejection->opencl_code);
  }
  waits_ = {std::get<cl::Event>(launched)};
}

MatrixArgument Chain::allocate(const Storage& storage) {
  temporaries_.push_back(temporary(executor_.context(), storage));
  return {temporaries_.back()(), 0, storage.ld};
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

cl::Event enqueue(const Executor& executor, const cl::CommandQueue& queue, const Route& route,
                  const GemmProblem& problem, const std::vector<cl::Event>& wait_list) {
  const KernelRecord& record = route.gemm->record();
  const GemmShape& shape = problem.shape;
  Chain chain(executor, queue, wait_list);
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
