// Provides the operands on which kernels are timed.
//
// The time of a kernel does not depend on the values of random operands, so the pool does not
// create operands for each kernel and shape. Three large buffers (for A, B and C) hold every
// matrix, regardless of its layout and leading dimension. Their relative addresses differ from pool
// to pool, even with the same seed. Images are created on demand, and only a few are kept.
#pragma once

#include <cstdint>
#include <list>
#include <random>
#include <variant>
#include <vector>

#include "runtime/call/storage.hpp"
#include "runtime/device/executor.hpp"

namespace tilewright {

// The operand of a product that a buffer or image is for.
enum class PooledOperand { kA, kB, kC, kParts };

// A problem with references to the memory that it uses.
template <class Problem>
struct Pooled {
  Problem problem;
  std::vector<cl::Memory> memory;
};
using PooledGemm = std::variant<Pooled<GemmProblem>, KernelError>;
using PooledPack = std::variant<Pooled<PackProblem>, KernelError>;
using PooledReduce = std::variant<Pooled<ReduceProblem>, KernelError>;
using PooledActivation = std::variant<Pooled<ActivationProblem>, KernelError>;
using PooledSoftmax = std::variant<Pooled<SoftmaxProblem>, KernelError>;

// Buffers and images on one device. Not thread-safe.
class OperandPool {
 public:
  // The executor must outlive the pool. `seed` determines the values.
  OperandPool(const Executor& executor, const cl::CommandQueue& queue, std::uint64_t seed);

  const Executor& executor() const { return executor_; }
  const cl::CommandQueue& queue() const { return queue_; }

  // Returns a product with operands as the kernel's record requires them: packed if the kernel
  // reads packed matrices, otherwise plain without gaps. C is written with beta = 0. Returns a
  // KernelError of kind kLimits if the kernel does not support the shape or the device has not
  // enough memory. So do the functions below.
  PooledGemm product(const KernelRecord& record, const GemmShape& shape);
  // Returns the packing of op(A) (m x k) or op(B) (k x n) from the layout that the pack kernel
  // reads to the layout that the gemm or gemv kernel reads.
  PooledPack packing(const KernelRecord& pack, PooledOperand operand, const KernelRecord& gemm,
                     const GemmShape& shape);
  // Returns the packing of a rows x columns matrix with the minimum padding that the layout needs.
  PooledPack packing(const KernelRecord& pack, std::int64_t rows, std::int64_t columns);
  // Returns the reduction of the parts that the split-K kernel `gemm` writes for a product.
  PooledReduce reducing(const KernelRecord& reduce, const KernelRecord& gemm,
                        const GemmShape& shape);
  // Return an activation or softmax of a rows x columns matrix in place, as networks use them,
  // without padding. In a layout with chunks, rows and columns must be multiples of the chunk's
  // extents.
  PooledActivation activation(const KernelRecord& record, std::int64_t rows, std::int64_t columns,
                              const ActivationArguments& arguments);
  PooledSoftmax softmax(const KernelRecord& record, std::int64_t rows, std::int64_t columns);

 private:
  struct Image {
    PooledOperand operand;
    std::size_t width;   // pixels
    std::size_t height;  // pixels
    cl::Image2D image;
  };

  PooledPack packing(const KernelRecord& pack, std::int64_t rows, std::int64_t columns,
                     const Storage& to);
  template <class Problem>
  std::variant<Pooled<Problem>, KernelError> layer(const KernelRecord& record, Role role,
                                                   std::int64_t rows, std::int64_t columns);
  // These throw Error on failure.
  cl::Memory memory_for(PooledOperand operand, const Storage& storage);
  cl::Buffer buffer(PooledOperand operand, std::size_t elements);
  cl::Image2D image(PooledOperand operand, std::size_t width, std::size_t height);

  const Executor& executor_;
  cl::CommandQueue queue_;
  std::vector<float> noise_;  // random values that fill all buffers and images, repeated
  std::mt19937 gaps_;
  cl::Buffer buffers_[4];
  std::list<Image> images_;  // most recently used first
};

}  // namespace tilewright
