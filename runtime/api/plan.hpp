// Packs matrices once and multiplies them many times: plan, pack, execute. tilewright.h documents
// what applications see.
//
// Plans and packed matrices are immutable; any number of threads may use them on any queues.
// Failures are thrown as Error. If a function throws, nothing has been enqueued, unless OpenCL
// itself failed half-way.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/call/storage.hpp"
#include "runtime/plan/route_cache.hpp"

namespace tilewright {

// Memory of the caller, for a packed matrix or for a temporary of a call. Null: the library
// allocates memory.
struct Workspace {
  cl::Buffer buffer;       // may be a sub-buffer
  std::size_t offset = 0;  // in bytes, for every type: a multiple of kMemoryMultiple
};

// A matrix that is packed for one operand of a plan.
struct PackedMatrix {
  Operand operand = Operand::kA;  // operand of the caller's call
  // Factor of the row-major product; differs from `operand` for column-major calls.
  bool left = true;
  std::int64_t rows = 0;  // rows of the factor
  std::int64_t columns = 0;
  std::optional<ComplexOperand> complex;  // how a complex matrix was converted
  Storage storage;                        // storage of the matrix in `memory`
  cl::Memory memory;
  std::size_t offset = 0;  // elements
  std::size_t bytes = 0;   // 0: the memory is the caller's matrix, which is read in place
  cl::Event ready;         // Plan::execute waits for it, on any queue

  MatrixArgument argument() const { return {memory(), offset, storage.ld}; }
};

// Operand A or B of Plan::execute, packed or not.
struct GemmOperand {
  GemmOperand(const Matrix& given) : matrix(given) {}
  GemmOperand(const PackedMatrix& given) : packed(&given) {}

  Matrix matrix;
  const PackedMatrix* packed = nullptr;  // null: not packed
};

// Requirements of a plan on A or B.
struct OperandNeeds {
  bool packed = false;    // false: the kernel reads the matrix in place; packing copies nothing
  bool image = false;     // the packed matrix is an image, which only the library can create
  std::size_t bytes = 0;  // of the packed matrix; 0 if it is not packed
};

// The kernels for products of one shape. Each execute has its own alpha and beta; those of the
// plan's call are hints (whether C is read affects the choice of the kernel).
struct Plan {
  // Loads the kernels; allocates no device memory. Only offsets, leading dimensions and the
  // alignment of the matrices are used. Throws Error.
  Plan(LibraryHandle opened, const GemmCall& given, const Matrix& a, const Matrix& b,
       const Matrix& c);
  // For matrices without offsets and gaps.
  Plan(LibraryHandle opened, const GemmCall& given)
      : Plan(std::move(opened), given, dense_matrices(given).a, dense_matrices(given).b,
             dense_matrices(given).c) {}

  // Name of the product's kernel; "" if C is empty or k is 0.
  const std::string& kernel() const { return planned->kernel; }
  // A sentence: why this kernel was chosen, the additional steps, and the predicted times.
  const std::string& reason() const { return planned->reason; }
  OperandNeeds needs(Operand operand) const;
  std::size_t workspace_bytes() const;

  // Packs an operand into the caller's memory, or into memory of the library; flushes the queue. If
  // the kernel can read the operand in place, nothing is copied.
  PackedMatrix pack(Operand operand, const cl::CommandQueue& queue, const Matrix& matrix,
                    const std::vector<cl::Event>& wait_list = {}, const Workspace& into = {}) const;
  // A packed operand may come from another plan with the same requirements. A matrix that is not
  // packed is packed first if the plan requires this.
  cl::Event execute(const cl::CommandQueue& queue, const GemmOperand& a, const GemmOperand& b,
                    const Matrix& c, std::complex<double> alpha = 1.0,
                    std::complex<double> beta = 0.0, const std::vector<cl::Event>& wait_list = {},
                    const Workspace& workspace = {}) const;

  const Route& route() const { return planned->route; }

  LibraryHandle library;
  GemmCall call;        // with alpha different from 0
  Matrix planned_a;     // as planned, without a buffer; used for a packed A
  Matrix planned_b;     // the same for B
  GemmProblem problem;  // as planned; for complex products the real product
  std::optional<ComplexSteps> complex;
  bool computes = true;  // false: C is empty or k is 0, and the other members are unused
  // Supports any beta: whenever unpack_c is loaded, pack_c is loaded, too.
  std::shared_ptr<const PlannedRoute> planned;
};

}  // namespace tilewright
