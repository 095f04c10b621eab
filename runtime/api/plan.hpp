/// @file
/// Packs matrices once and multiplies them many times.
///
///     tilewright::Plan plan = library.plan(call, a, w, c);         // which kernel, how many bytes
///     tilewright::PackedMatrix weights = plan.pack_b(queue, w);    // once
///     for (...) plan.execute(queue, a, weights, c, alpha, beta);   // any number of times
///
/// There are four steps: plan, pack, execute, and free, which the destructors do. Library::gemm
/// does all four in each call. Failures are reported by throwing tilewright::Error. If a function
/// throws, nothing has been enqueued, unless OpenCL itself failed half-way.
///
/// Thread safety: Plan and PackedMatrix are immutable; any number of threads may use them on any
/// queues. Copies share one state, which may outlive the Library. Every function of a Plan or
/// PackedMatrix that was moved from throws Error TW_INVALID_VALUE; it can be assigned to.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "runtime/api/library.hpp"

namespace tilewright {

struct PlannedGemm;
struct PackedStorage;

/// A matrix that is packed for one operand of a plan. Its memory is freed with the last copy;
/// enqueued commands that use it still complete.
class PackedMatrix {
 public:
  /// @return the operand that it was packed for
  Operand operand() const;
  /// @return m of op(A), or k of op(B), in the plan's call, without padding
  std::size_t rows() const;
  /// @return k of op(A), or n of op(B), in the plan's call, without padding
  std::size_t columns() const;
  /// Returns its layout in memory, in the notation of docs/parameters.md.
  /// @return the layout in the row-major product that computes the call; for a column-major call
  ///     this is the layout of the transpose
  std::string layout() const;
  /// @return size of its memory in bytes; 0: nothing was packed, and it refers to the caller's
  ///     matrix
  std::size_t bytes() const;
  /// @return the event that completes when it is packed. Plan::execute always waits for it, on any
  ///     queue
  cl::Event ready() const;

 private:
  friend class GemmOperand;
  friend class Plan;
  explicit PackedMatrix(std::shared_ptr<const PackedStorage> storage)
      : storage_(std::move(storage)) {}
  std::shared_ptr<const PackedStorage> storage_;
};

/// Operand A or B of Plan::execute, packed or not.
class GemmOperand {
 public:
  /// @param matrix  a matrix that is not packed
  GemmOperand(const Matrix& matrix) : matrix_(matrix) {}
  /// The same as GemmOperand(Matrix{buffer, offset, ld}).
  /// @param buffer, offset, ld  the members of the matrix
  GemmOperand(const cl::Buffer& buffer, std::size_t offset, std::size_t ld)
      : matrix_{buffer, offset, ld} {}
  /// @param packed  a packed matrix
  GemmOperand(const PackedMatrix& packed) : packed_(packed.storage_), is_packed_(true) {}

 private:
  friend class Plan;
  Matrix matrix_;
  std::shared_ptr<const PackedStorage> packed_;
  bool is_packed_ = false;
};

/// Requirements of a plan on A or B.
struct OperandNeeds {
  /// False: the kernel reads the matrix in place, and packing copies nothing.
  bool packed = false;
  /// The packed matrix is an image. The library must create it; the caller cannot provide a buffer.
  bool image = false;
  /// Size of the packed matrix; 0 if it is not packed.
  std::size_t bytes = 0;
};

/// Memory of the caller for a packed matrix.
struct PackInto {
  /// May be a sub-buffer. It must have OperandNeeds::bytes bytes after the offset, and must not be
  /// modified while the packed matrix is used.
  cl::Buffer buffer;
  /// Offset of the memory in bytes, for every type: a multiple of kMemoryMultiple.
  std::size_t offset = 0;
};

/// Memory of the caller for the temporary between the product and C.
struct Workspace {
  /// May be a sub-buffer. It must have Plan::workspace_bytes() bytes after the offset, and nothing
  /// else may use it until the product is complete. Null: the library allocates memory.
  cl::Buffer buffer;
  /// Offset of the memory in bytes, for every type: a multiple of kMemoryMultiple.
  std::size_t offset = 0;
};

/// The kernels for products of one shape.
///
/// Each execute has its own alpha and beta; those of the plan's call are hints (whether C is read
/// affects the choice of the kernel). A matrix that is passed to execute or pack must be as aligned
/// as the kernels require; otherwise they throw Error TW_WRONG_LAYOUT. The planned offset and
/// leading dimension are sufficient, unless the buffer is a sub-buffer or memory of the application
/// (CL_MEM_USE_HOST_PTR) whose start is less aligned than that of the planned buffer (if none was
/// given: aligned for every vector).
class Plan {
 public:
  /// @return the name of the product's kernel; "" if C is empty or k is 0
  const std::string& kernel() const;
  /// @return a sentence: why this kernel was chosen, the additional steps, and the predicted time
  ///     of each step
  const std::string& reason() const;

  /// @return the requirements on A. This function does not allocate
  OperandNeeds needs_a() const;
  /// @return the requirements on B. This function does not allocate
  OperandNeeds needs_b() const;
  /// Returns the memory that execute needs for a temporary C or for the parts of a split k. It is
  /// in the caller's workspace, or allocated by the library.
  /// @return bytes. In addition, execute allocates needs_a().bytes or needs_b().bytes for an
  ///     operand that must be packed and is not, and for complex products memory for converted
  ///     operands and for an intermediate result
  std::size_t workspace_bytes() const;

  /// Packs A into memory of the library: enqueues the packing, flushes the queue and returns
  /// without waiting. If the kernel can read A in place, nothing is copied; the result then refers
  /// to the matrix itself, which must not be modified while the result is used.
  /// @param queue  a queue of the plan's context and device
  /// @param a  a matrix that is at least as aligned as planned
  /// @param wait_list  events to wait for
  /// @return the packed matrix
  /// @throws Error TW_INVALID_LD_A, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A, TW_WRONG_LAYOUT,
  ///     TW_INVALID_QUEUE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR
  PackedMatrix pack_a(const cl::CommandQueue& queue, const Matrix& a,
                      const std::vector<cl::Event>& wait_list = {}) const;
  /// The same, but packs into memory of the caller.
  /// @param queue, a, wait_list  see above
  /// @param into  the memory; ignored if nothing is packed
  /// @return the packed matrix
  /// @throws Error like above; TW_INVALID_PACKED_BUFFER,
  ///     also if the packed matrix must be an image;
  ///     TW_INSUFFICIENT_PACKED_BUFFER
  PackedMatrix pack_a(const cl::CommandQueue& queue, const Matrix& a, const PackInto& into,
                      const std::vector<cl::Event>& wait_list = {}) const;
  /// Packs B, like pack_a for A.
  /// @param queue, wait_list  see pack_a
  /// @param b  a matrix that is at least as aligned as planned
  /// @return the packed matrix
  /// @throws Error like pack_a, with the errors for B
  PackedMatrix pack_b(const cl::CommandQueue& queue, const Matrix& b,
                      const std::vector<cl::Event>& wait_list = {}) const;
  /// The same, but packs into memory of the caller.
  /// @param queue, b, into, wait_list  see pack_a
  /// @return the packed matrix
  /// @throws Error like pack_a, with the errors for B
  PackedMatrix pack_b(const cl::CommandQueue& queue, const Matrix& b, const PackInto& into,
                      const std::vector<cl::Event>& wait_list = {}) const;

  /// C = alpha op(A) op(B) + beta C, like Library::gemm: enqueues the product and returns without
  /// waiting.
  /// @param queue, alpha, beta, wait_list  see Library::gemm
  /// @param a, b  packed or not. A packed operand may come from another plan if it was packed for
  ///     the same operand with the extents and the layout that this plan requires (for complex
  ///     numbers also in the same form, which depends on the shape and on the conjugation of the
  ///     other operand). A matrix that is not packed is packed first if the plan requires this
  /// @param c  see Library::gemm
  /// @param workspace  ignored if workspace_bytes() is 0. With a workspace and packed operands, the
  ///     library allocates nothing (except perhaps if alpha is 0, and for complex products)
  /// @return the event that completes when C is written
  /// @throws Error like Library::gemm; TW_WRONG_LAYOUT if an operand does not match the plan;
  ///     TW_INVALID_BUFFER_A (_B) if an operand was packed in another context;
  ///     TW_INVALID_WORKSPACE, TW_INSUFFICIENT_WORKSPACE
  cl::Event execute(const cl::CommandQueue& queue, const GemmOperand& a, const GemmOperand& b,
                    const Matrix& c, std::complex<double> alpha = 1.0,
                    std::complex<double> beta = 0.0, const std::vector<cl::Event>& wait_list = {},
                    const Workspace& workspace = {}) const;

 private:
  friend class Library;
  explicit Plan(std::shared_ptr<const PlannedGemm> planned) : planned_(std::move(planned)) {}
  PackedMatrix pack(Operand operand, const cl::CommandQueue& queue, const Matrix& matrix,
                    const PackInto* into, const std::vector<cl::Event>& wait_list) const;
  std::shared_ptr<const PlannedGemm> planned_;
};

}  // namespace tilewright
