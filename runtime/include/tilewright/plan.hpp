// How does a program pack matrices once and multiply with them many times?
//
//   tilewright::Plan plan = library.plan(call, a, w, c);         // which kernel, how many bytes
//   tilewright::PackedMatrix weights = plan.pack_b(queue, w);    // once
//   for (...) plan.execute(queue, a, weights, c, alpha, beta);   // any number of times
//
// Four steps: plan, pack, execute, free; the last is the end of the values. Library::sgemm does all
// of it in each call. Failures are tilewright::Error, thrown before anything is enqueued unless
// OpenCL itself fails half-way.
//
// Thread safety: Plan and PackedMatrix never change once they are made; any number of threads may
// use one, on any queues. Copies share one state, which outlives the Library where need be.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <tilewright/library.hpp>

namespace tilewright {

struct PlannedGemm;
struct PackedStorage;

// A matrix as it is packed for one operand of a plan. Its memory is freed with its last copy;
// commands that are enqueued keep what they need.
class TW_API PackedMatrix {
 public:
  // The operand it was packed for.
  Operand operand() const;
  // Extents of op(A) (m x k) or op(B) (k x n) in the plan's call, without padding.
  std::size_t rows() const;
  std::size_t columns() const;
  // How it lies in memory, in the grammar of docs/layouts.md, seen as the row-major product that
  // serves the call: of a column-major call that is the transpose.
  std::string layout() const;
  // Memory behind it. 0: nothing was packed, it stands for the caller's own matrix.
  std::size_t bytes() const;
  // Completes when it is packed. Plan::execute waits for it by itself, on any queue.
  cl::Event ready() const;

 private:
  friend class GemmOperand;
  friend class Plan;
  explicit PackedMatrix(std::shared_ptr<const PackedStorage> storage)
      : storage_(std::move(storage)) {}
  std::shared_ptr<const PackedStorage> storage_;
};

// A or B of Plan::execute: packed, or as the caller has it.
class GemmOperand {
 public:
  GemmOperand(const Matrix& matrix) : matrix_(matrix) {}
  GemmOperand(const cl::Buffer& buffer, std::size_t offset, std::size_t ld)
      : matrix_{buffer, offset, ld} {}
  GemmOperand(const PackedMatrix& packed) : packed_(packed.storage_), is_packed_(true) {}

 private:
  friend class Plan;
  Matrix matrix_;
  std::shared_ptr<const PackedStorage> packed_;
  bool is_packed_ = false;
};

// What a plan wants of A or B.
struct OperandNeeds {
  // False: its kernel reads the matrix where it lies, and packing it copies nothing.
  bool packed = false;
  // The packed matrix goes to an image, which the library must make: no caller's buffer will do.
  bool image = false;
  // Of the packed matrix; 0 if it is not packed.
  std::size_t bytes = 0;
};

// Where a packed matrix goes: from `offset` elements (floats) on. The offset must be a multiple of
// Plan::offset_multiple(). The buffer may be a sub-buffer; it must hold OperandNeeds::bytes behind
// the offset, and must not change while the packed matrix is used.
struct PackInto {
  cl::Buffer buffer;
  std::size_t offset = 0;
};

// The way in which products of one shape are served.
//
// Alpha and beta are of each execute; those of the plan's call only say what to expect (whether C
// is read counts in choosing the kernel). A matrix that execute or pack is given must lie as
// aligned as the kernels need, for which offset and leading dimension as planned suffice; else
// Error TW_WRONG_LAYOUT.
class TW_API Plan {
 public:
  // In elements: the widest vector.
  static constexpr std::size_t offset_multiple() { return 16; }

  // The kernel of the product; "" where C is empty or k is 0.
  const std::string& kernel() const;
  // Why this kernel, what is done beside it and how long each part is predicted to take.
  const std::string& reason() const;

  // Nothing is allocated for these answers.
  OperandNeeds needs_a() const;
  OperandNeeds needs_b() const;
  // Temporary that execute takes from the library for C or the parts of a split k. It also takes
  // needs_a().bytes or needs_b().bytes for an operand that should be packed and is not.
  std::size_t workspace_bytes() const;

  // Enqueues packing a matrix after the events of wait_list, and flushes the queue. Memory is the
  // library's own, or the caller's. Where the plan does not pack, nothing is copied: the result
  // stands for the matrix itself, which must then keep its contents, and `into` is not looked at.
  // Throws Error: TW_INVALID_LD_A, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A (of B: _B) for
  // either buffer, TW_INVALID_VALUE for an offset of `into` that is no multiple or a buffer where
  // an image is needed, TW_WRONG_LAYOUT, TW_INVALID_QUEUE, TW_OUT_OF_MEMORY.
  PackedMatrix pack_a(const cl::CommandQueue& queue, const Matrix& a,
                      const std::vector<cl::Event>& wait_list = {}) const;
  PackedMatrix pack_a(const cl::CommandQueue& queue, const Matrix& a, const PackInto& into,
                      const std::vector<cl::Event>& wait_list = {}) const;
  PackedMatrix pack_b(const cl::CommandQueue& queue, const Matrix& b,
                      const std::vector<cl::Event>& wait_list = {}) const;
  PackedMatrix pack_b(const cl::CommandQueue& queue, const Matrix& b, const PackInto& into,
                      const std::vector<cl::Event>& wait_list = {}) const;

  // C = alpha op(A) op(B) + beta C, as Library::sgemm; enqueues and returns the event that
  // completes when C is written. A packed operand may come from another plan, if it was packed for
  // the same operand with the extents and the layout that this plan wants; else Error
  // TW_WRONG_LAYOUT, or TW_INVALID_BUFFER_A (_B) if it belongs to another context. A matrix that is
  // not packed, where the plan wants it packed, is packed on the way.
  cl::Event execute(const cl::CommandQueue& queue, const GemmOperand& a, const GemmOperand& b,
                    const Matrix& c, float alpha = 1.0f, float beta = 0.0f,
                    const std::vector<cl::Event>& wait_list = {}) const;

 private:
  friend class Library;
  explicit Plan(std::shared_ptr<const PlannedGemm> planned) : planned_(std::move(planned)) {}
  PackedMatrix pack(Operand operand, const cl::CommandQueue& queue, const Matrix& matrix,
                    const PackInto* into, const std::vector<cl::Event>& wait_list) const;
  std::shared_ptr<const PlannedGemm> planned_;
};

}  // namespace tilewright
