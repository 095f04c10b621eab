// The state of Plan and PackedMatrix.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/api/plan.hpp"
#include "runtime/call/storage.hpp"
#include "runtime/complex/complex_product.hpp"
#include "runtime/plan/route_cache.hpp"

namespace tilewright {

// The part of the library that a plan uses. Thread-safe.
class PlanHost {
 public:
  virtual ~PlanHost() = default;
  virtual const Executor& executor() const = 0;
  virtual TemporaryPool& temporaries() = 0;
  virtual ComplexKernels& complex_kernels() = 0;
  // Throws Error unless queue and events belong to the library's context and device.
  virtual void check(const cl::CommandQueue& queue,
                     const std::vector<cl::Event>& wait_list) const = 0;
  // Returns an event that completes after the wait list.
  virtual cl::Event enqueue_marker(const cl::CommandQueue& queue,
                                   const std::vector<cl::Event>& wait_list) const = 0;
  virtual cl::Event gemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                         const Matrix& b, const Matrix& c,
                         const std::vector<cl::Event>& wait_list) = 0;
};

// The state of a Plan. Immutable after construction.
struct PlannedGemm {
  std::shared_ptr<PlanHost> host;
  GemmCall call;        // with alpha different from 0
  Matrix a;             // as planned, without a buffer; used for a packed A
  Matrix b;             // the same for B
  GemmProblem problem;  // as planned; for complex products the real product
  std::optional<ComplexSteps> complex;
  bool computes = true;  // false: C is empty or k is 0, and the other members are unused
  // Supports any beta: whenever unpack_c is loaded, pack_c is loaded, too.
  std::shared_ptr<const PlannedRoute> planned;

  const Route& route() const { return planned->route; }
};

// The state of a PackedMatrix. Immutable after construction.
struct PackedStorage {
  Operand operand = Operand::kA;  // operand of the caller's call
  // Factor of the row-major product; differs from `operand` for column-major calls.
  bool left = true;
  std::int64_t rows = 0;  // rows of the factor
  std::int64_t columns = 0;
  std::int64_t call_rows = 0;  // extents in the caller's call: for complex numbers half as many
  std::int64_t call_columns = 0;
  std::optional<ComplexOperand> complex;  // how a complex matrix was converted
  Storage storage;                        // storage of the matrix in `memory`
  cl::Memory memory;
  std::size_t offset = 0;  // elements
  std::size_t bytes = 0;   // 0: the memory is the caller's matrix
  cl::Event ready;

  MatrixArgument argument() const { return {memory(), offset, storage.ld}; }
};

}  // namespace tilewright
