// What is behind a Plan and a PackedMatrix?
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tilewright/plan.hpp>
#include "runtime/call/storage.hpp"
#include "runtime/complex/complex_product.hpp"
#include "runtime/plan/route_cache.hpp"

namespace tilewright {

// What a plan uses of the library that made it. Thread-safe.
class PlanHost {
 public:
  virtual ~PlanHost() = default;
  virtual const Executor& executor() const = 0;
  virtual TemporaryPool& temporaries() = 0;
  virtual ComplexKernels& complex_kernels() = 0;
  // Throws Error unless both are of the library's context and device.
  virtual void check(const cl::CommandQueue& queue,
                     const std::vector<cl::Event>& wait_list) const = 0;
  // An event that completes after the wait list.
  virtual cl::Event nothing(const cl::CommandQueue& queue,
                            const std::vector<cl::Event>& wait_list) const = 0;
  virtual cl::Event gemm(const cl::CommandQueue& queue, const GemmCall& call, const Matrix& a,
                         const Matrix& b, const Matrix& c,
                         const std::vector<cl::Event>& wait_list) = 0;
};

// Never changes once it is made.
struct PlannedGemm {
  std::shared_ptr<PlanHost> host;
  GemmCall call;        // alpha is not 0
  Matrix a;             // as planned, without buffer; stands in for a packed one
  Matrix b;             // likewise
  GemmProblem problem;  // as planned; of complex numbers, its real twin
  std::optional<ComplexSteps> complex;
  bool computes = true;  // false: C is empty or k is 0, and the rest is not looked at
  // Serves with any beta: pack_c is loaded where unpack_c is.
  std::shared_ptr<const PlannedRoute> planned;

  const Route& route() const { return planned->route; }
};

// Never changes once it is made.
struct PackedStorage {
  Operand operand = Operand::kA;  // of the caller
  bool left = true;               // factor of the row-major product: another one if column-major
  std::int64_t rows = 0;          // of that factor
  std::int64_t columns = 0;
  std::int64_t call_rows = 0;  // as the caller's call sees it: of complex numbers half as many
  std::int64_t call_columns = 0;
  std::optional<ComplexOperand> complex;  // how it was converted, if it was of complex numbers
  Storage storage;                        // of the matrix in `memory`
  cl::Memory memory;
  std::size_t offset = 0;  // elements
  std::size_t bytes = 0;   // 0: the memory is the caller's matrix
  cl::Event ready;

  MatrixArgument argument() const { return {memory(), offset, storage.ld}; }
};

}  // namespace tilewright
