// On what does a kernel run when it is timed?
//
// Time does not depend on which random numbers are multiplied, so operands are not made for each
// kernel and shape: three large buffers of them (A, B, C) serve every matrix in a buffer, with
// whatever layout and leading dimension. How these lie to one another differs from pool to pool,
// also for the same seed. Images are made when they are needed, and few are kept.
#pragma once

#include <cstdint>
#include <list>
#include <random>
#include <variant>
#include <vector>

#include "runtime/call/storage.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

enum class PooledOperand { kA, kB, kC };

// A problem and the memory that it refers to.
template <class Problem>
struct Pooled {
  Problem problem;
  std::vector<cl::Memory> memory;
};
using PooledGemm = std::variant<Pooled<GemmProblem>, Rejection>;
using PooledPack = std::variant<Pooled<PackProblem>, Rejection>;
using PooledReduce = std::variant<Pooled<ReduceProblem>, Rejection>;
using PooledActivation = std::variant<Pooled<ActivationProblem>, Rejection>;
using PooledSoftmax = std::variant<Pooled<SoftmaxProblem>, Rejection>;

class OperandPool {
 public:
  // The executor must outlive the pool.
  OperandPool(const Executor& executor, const cl::CommandQueue& queue, std::uint64_t seed);

  const Executor& executor() const { return executor_; }
  const cl::CommandQueue& queue() const { return queue_; }

  // The product with its operands as the record wants them: what would be packed lies packed, and
  // what it reads in place lies without gaps. C is written with beta = 0. A rejection of stage
  // kLimits: the kernel cannot take the shape, or the device has no room.
  PooledGemm product(const KernelRecord& record, const GemmShape& shape);
  // The packing of op(A) (m x k) or op(B) (k x n) from the plain matrix that the pack kernel reads
  // to what the gemm (gemv) kernel reads.
  PooledPack packing(const KernelRecord& pack, PooledOperand operand, const KernelRecord& gemm,
                     const GemmShape& shape);
  // The packing of a rows x columns matrix into no more than it needs.
  PooledPack packing(const KernelRecord& pack, std::int64_t rows, std::int64_t columns);
  // Adding up the parts that the gemm kernel, which splits k, writes of a product.
  PooledReduce reducing(const KernelRecord& reduce, const KernelRecord& gemm,
                        const GemmShape& shape);
  // What a network does to a rows x columns matrix by itself, in place, as it is served; without
  // padding. Layouts of whole chunks only: their extents must divide rows and columns.
  PooledActivation activation(const KernelRecord& record, std::int64_t rows, std::int64_t columns,
                              const ActivationArguments& arguments);
  PooledSoftmax softmax(const KernelRecord& record, std::int64_t rows, std::int64_t columns);

 private:
  struct Image {
    PooledOperand operand;
    std::size_t width;   // pixels
    std::size_t height;  // likewise
    cl::Image2D image;
  };

  PooledPack packing(const KernelRecord& pack, std::int64_t rows, std::int64_t columns,
                     const Storage& to);
  template <class Problem>
  std::variant<Pooled<Problem>, Rejection> layer(const KernelRecord& record, Role role,
                                                 std::int64_t rows, std::int64_t columns);
  // Throw Error.
  cl::Memory memory_for(PooledOperand operand, const Storage& storage);
  cl::Buffer buffer(PooledOperand operand, std::size_t elements);
  cl::Image2D image(PooledOperand operand, std::size_t width, std::size_t height);

  const Executor& executor_;
  cl::CommandQueue queue_;
  std::vector<float> noise_;  // what everything is filled with, over and over
  std::mt19937 gaps_;
  cl::Buffer buffers_[3];
  std::list<Image> images_;  // the one used last in front
};

}  // namespace tilewright
