/// @file
/// How does a program pack matrices once and multiply with them many times?
///
///     tilewright::Plan plan = library.plan(call, a, w, c);         // which kernel, how many bytes
///     tilewright::PackedMatrix weights = plan.pack_b(queue, w);    // once
///     for (...) plan.execute(queue, a, weights, c, alpha, beta);   // any number of times
///
/// Four steps: plan, pack, execute, free; the last is the end of the values. Library::gemm does
/// all of it in each call. Failures are tilewright::Error, thrown before anything is enqueued
/// unless OpenCL itself fails half-way.
///
/// Thread safety: Plan and PackedMatrix never change once they are made; any number of threads may
/// use one, on any queues. Copies share one state, which outlives the Library where need be. Of a
/// Plan or PackedMatrix that was moved from, every function throws Error TW_INVALID_VALUE; it may
/// be assigned to.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <tilewright/library.hpp>

namespace tilewright {

struct PlannedGemm;
struct PackedStorage;

/// A matrix as it is packed for one operand of a plan. Its memory is freed with its last copy;
/// commands that are enqueued keep what they need.
class TW_API PackedMatrix {
 public:
  /// @return the operand it was packed for
  Operand operand() const;
  /// @return m of op(A), or k of op(B), in the plan's call, without padding
  std::size_t rows() const;
  /// @return k of op(A), or n of op(B), in the plan's call, without padding
  std::size_t columns() const;
  /// How it lies in memory, in the grammar of docs/layouts.md.
  /// @return the layout as the row-major product that serves the call sees it: of a column-major
  ///     call that is the transpose
  std::string layout() const;
  /// @return bytes of the memory behind it; 0: nothing was packed, it stands for the caller's own
  ///     matrix
  std::size_t bytes() const;
  /// @return the event that completes when it is packed. Plan::execute waits for it by itself, on
  ///     any queue
  cl::Event ready() const;

 private:
  friend class GemmOperand;
  friend class Plan;
  explicit PackedMatrix(std::shared_ptr<const PackedStorage> storage)
      : storage_(std::move(storage)) {}
  std::shared_ptr<const PackedStorage> storage_;
};

/// A or B of Plan::execute: packed, or as the caller has it.
class GemmOperand {
 public:
  /// @param matrix  as the caller has it
  GemmOperand(const Matrix& matrix) : matrix_(matrix) {}
  /// As Matrix.
  /// @param buffer, offset, ld  its members
  GemmOperand(const cl::Buffer& buffer, std::size_t offset, std::size_t ld)
      : matrix_{buffer, offset, ld} {}
  /// @param packed  by a plan
  GemmOperand(const PackedMatrix& packed) : packed_(packed.storage_), is_packed_(true) {}

 private:
  friend class Plan;
  Matrix matrix_;
  std::shared_ptr<const PackedStorage> packed_;
  bool is_packed_ = false;
};

/// What a plan wants of A or B.
struct OperandNeeds {
  /// False: its kernel reads the matrix where it lies, and packing it copies nothing.
  bool packed = false;
  /// The packed matrix goes to an image, which the library must make: no caller's buffer will do.
  bool image = false;
  /// Of the packed matrix; 0 if it is not packed.
  std::size_t bytes = 0;
};

/// Where a packed matrix goes.
struct PackInto {
  /// It may be a sub-buffer. It must hold OperandNeeds::bytes behind the offset, and must not
  /// change while the packed matrix is used.
  cl::Buffer buffer;
  /// The first element: a multiple of Plan::offset_multiple().
  std::size_t offset = 0;
};

/// Where execute keeps what lies between the product and C.
struct Workspace {
  /// It may be a sub-buffer. It must hold Plan::workspace_bytes() behind the offset, and nothing
  /// else may use it until the product is done. Null: memory of the library.
  cl::Buffer buffer;
  /// The first element: a multiple of Plan::offset_multiple().
  std::size_t offset = 0;
};

/// How products of one shape are served.
///
/// Alpha and beta are of each execute; those of the plan's call only say what to expect (whether C
/// is read counts in choosing the kernel). A matrix that execute or pack is given must lie as
/// aligned as the kernels need; else Error TW_WRONG_LAYOUT. The offset and leading dimension that
/// were planned suffice, unless the buffer is a sub-buffer or memory of the application's own
/// (CL_MEM_USE_HOST_PTR) that starts at a less aligned address than the buffer that was planned
/// with (none: aligned for every vector).
class TW_API Plan {
 public:
  /// What PackInto::offset and Workspace::offset must be multiples of.
  /// @return elements: the widest vector
  static constexpr std::size_t offset_multiple() { return 16; }

  /// @return the name of the product's kernel; "" where C is empty or k is 0
  const std::string& kernel() const;
  /// @return a sentence: why this kernel, what is done beside it, and how long each part is
  ///     predicted to take
  const std::string& reason() const;

  /// @return what is wanted of A; nothing is allocated for the answer
  OperandNeeds needs_a() const;
  /// @return what is wanted of B; nothing is allocated for the answer
  OperandNeeds needs_b() const;
  /// What execute needs for C or the parts of a split k, of the caller's workspace or the library.
  /// @return bytes; beside them, execute takes from the library needs_a().bytes or needs_b().bytes
  ///     for an operand that should be packed and is not, and, of complex numbers, memory for what
  ///     is converted on the way and for a result that is put together afterwards
  std::size_t workspace_bytes() const;

  /// Packs A, asynchronous: enqueues packing it, to memory of the library's own, and flushes the
  /// queue. Where the plan does not pack, nothing is copied: the result stands for the matrix
  /// itself, which must then keep its contents.
  /// @param queue  of the plan's context and device
  /// @param a  as aligned as planned
  /// @param wait_list  events that packing waits for
  /// @return the packed matrix
  /// @throws Error TW_INVALID_LD_A, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A, TW_WRONG_LAYOUT,
  ///     TW_INVALID_QUEUE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR
  PackedMatrix pack_a(const cl::CommandQueue& queue, const Matrix& a,
                      const std::vector<cl::Event>& wait_list = {}) const;
  /// The same to memory of the caller's.
  /// @param queue, a, wait_list  as above
  /// @param into  not looked at where the plan does not pack
  /// @return the packed matrix
  /// @throws Error as above, of either buffer; TW_INVALID_VALUE for an offset of `into` that is no
  ///     multiple, or a buffer where an image is needed
  PackedMatrix pack_a(const cl::CommandQueue& queue, const Matrix& a, const PackInto& into,
                      const std::vector<cl::Event>& wait_list = {}) const;
  /// Packs B, as pack_a packs A.
  /// @param queue, wait_list  as of pack_a
  /// @param b  as aligned as planned
  /// @return the packed matrix
  /// @throws Error as pack_a, with the errors of B
  PackedMatrix pack_b(const cl::CommandQueue& queue, const Matrix& b,
                      const std::vector<cl::Event>& wait_list = {}) const;
  /// The same to memory of the caller's.
  /// @param queue, b, into, wait_list  as of pack_a
  /// @return the packed matrix
  /// @throws Error as pack_a, with the errors of B
  PackedMatrix pack_b(const cl::CommandQueue& queue, const Matrix& b, const PackInto& into,
                      const std::vector<cl::Event>& wait_list = {}) const;

  /// C = alpha op(A) op(B) + beta C, as Library::gemm: enqueues and returns.
  /// @param queue, alpha, beta, wait_list  as of Library::gemm
  /// @param a, b  packed or not. A packed operand may come from another plan, if it was packed for
  ///     the same operand with the extents and the layout that this plan wants (of complex
  ///     numbers also in the same form, which depends on the shape and on the conjugation of the
  ///     other operand). A matrix that is
  ///     not packed, where the plan wants it packed, is packed on the way
  /// @param c  as of Library::gemm
  /// @param workspace  not looked at where workspace_bytes() is 0. With one, and packed operands,
  ///     nothing is taken from the library (but perhaps if alpha is 0, and of complex numbers)
  /// @return the event that completes when C is written
  /// @throws Error as Library::gemm; TW_WRONG_LAYOUT for an operand that is not as the plan wants
  ///     it; TW_INVALID_BUFFER_A (_B) for one that was packed in another context; of the workspace
  ///     TW_INVALID_VALUE (offset), TW_INVALID_BUFFER_C, TW_INSUFFICIENT_BUFFER_C
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
