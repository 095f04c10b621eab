/// @file
/// Packs matrices once and multiplies them many times (tilewright.hpp).
#ifndef TILEWRIGHT_PLAN_HPP
#define TILEWRIGHT_PLAN_HPP

#include <cstddef>
#include <memory>
#include <string>

#include <tilewright/tilewright.h>
#include <tilewright/arguments.hpp>

namespace tw {
inline namespace v1 {

/// The kernels for products of one shape; see tw_plan. A plan allows matrices such as weights to be
/// packed once and multiplied many times:
///
///     tw::Plan plan = library.plan<float>({m, n, k});
///     tw::PackedMatrix weights = plan.pack_b(queue, {w, 0, n});                // once
///     // any number of times:
///     for (...) plan.execute(queue, {a, 0, k}, weights, {c, 0, n}, alpha);
class Plan {
 public:
  /// No plan.
  Plan() = default;
  /// @return the name of the product's kernel; "" if C is empty or k is 0
  std::string kernel() const { return tw_plan_kernel(handle()); }
  /// @return a sentence: why this kernel was chosen, the additional steps,
  ///     and the predicted time
  ///     of each step
  std::string reason() const { return tw_plan_reason(handle()); }
  /// @param operand  which one
  /// @return bytes of the packed operand; 0 if the kernel reads the operand in place
  std::size_t packed_bytes(tw_operand operand) const {
    return tw_plan_packed_bytes(handle(), operand);
  }
  /// @param operand  which one
  /// @return whether the packed operand is an image, which only the library can create
  bool packed_is_image(tw_operand operand) const {
    return tw_plan_packed_is_image(handle(), operand) != 0;
  }
  /// @return bytes that execute() needs for a temporary C or for the parts of a split k
  std::size_t workspace_bytes() const { return tw_plan_workspace_bytes(handle()); }

  /// Packs an operand. Enqueues the packing, flushes the queue and returns; see tw_pack.
  /// @param operand  which one
  /// @param queue  a queue of the plan's context and device
  /// @param matrix  at least as aligned as planned
  /// @param into  memory of at least packed_bytes() bytes, which must not be modified while the
  ///     packed matrix is used. {}: the library allocates it
  /// @param wait  events to wait for
  /// @return the packed matrix. If packed_bytes() is 0, it refers to the memory of `matrix`
  /// @throws Error like tw_pack
  PackedMatrix pack(tw_operand operand, QueueRef queue, const Matrix& matrix,
                    const Memory& into = {}, const WaitList& wait = {}) const {
    const tw_matrix from = matrix.to_c();
    tw_packed* packed = nullptr;
    cl_event ready = nullptr;
    detail::check(tw_pack(handle(), queue.get(), operand, &from, into.to_c(), wait.size(),
                          wait.data(), &packed, &ready));
    PackedMatrix result;
    result.ready_ = Event(ready);
    result.packed_.reset(packed, tw_packed_free);
    return result;
  }
  /// pack() for A.
  /// @param queue, matrix, into, wait  see pack()
  /// @return see pack()
  PackedMatrix pack_a(QueueRef queue, const Matrix& matrix, const Memory& into = {},
                      const WaitList& wait = {}) const {
    return pack(TW_OPERAND_A, queue, matrix, into, wait);
  }
  /// pack() for B.
  /// @param queue, matrix, into, wait  see pack()
  /// @return see pack()
  PackedMatrix pack_b(QueueRef queue, const Matrix& matrix, const Memory& into = {},
                      const WaitList& wait = {}) const {
    return pack(TW_OPERAND_B, queue, matrix, into, wait);
  }

  /// C = alpha op(A) op(B) + beta C, with the type, extents, layout and transposes of the plan.
  /// Enqueues the product and returns without waiting; see tw_execute.
  /// @param queue  a queue of the plan's context and device
  /// @param a, b  a packed matrix, or one in a buffer,
  ///     which is packed first if the plan requires it
  /// @param c  must not overlap A or B
  /// @param alpha, beta  the scalars
  /// @param workspace  memory of at least workspace_bytes() bytes. Nothing else may use it
  ///     until the product is complete.
  ///     {}: the library allocates it
  /// @param wait  events to wait for
  /// @return the event that completes when C is written
  /// @throws Error like tw_execute
  Event execute(QueueRef queue, const Matrix& a, const Matrix& b, const Matrix& c,
                Scalar alpha = 1.0, Scalar beta = 0.0, const Memory& workspace = {},
                const WaitList& wait = {}) const {
    const tw_matrix matrix_a = a.to_c(), matrix_b = b.to_c(), matrix_c = c.to_c();
    cl_event event = nullptr;
    detail::check(tw_execute(handle(), queue.get(), alpha, &matrix_a, &matrix_b, beta, &matrix_c,
                             workspace.to_c(), wait.size(), wait.data(), &event));
    return Event(event);
  }

  /// @return the handle of the C interface; null if there is none
  const tw_plan* get() const { return plan_.get(); }

 private:
  friend class Library;
  const tw_plan* handle() const { return detail::require(plan_, "plan"); }

  std::shared_ptr<tw_plan> plan_;
};

}  // namespace v1
}  // namespace tw

#endif
