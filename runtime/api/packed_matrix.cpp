// Packs operands of plans.
#include <fmt/format.h>

#include <span>
#include <utility>

#include "runtime/api/plan_operands.hpp"
#include "runtime/call/buffer_alignment.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/call/operand_check.hpp"

namespace tilewright {
namespace {

// Checks the caller's memory for the packed operand before anything is enqueued.
void check_into(Operand operand, const Workspace& into, const Storage& storage,
                cl_context context) {
  const char name = operand_letter(operand);
  if (storage.image) {
    throw Error(
        TW_INVALID_PACKED_BUFFER,
        fmt::format(
            "{} is packed into an image, which the library must allocate; do not give a buffer for "
            "it",
            name));
  }
  check_caller_memory(
      {fmt::format("the packed {}", name), TW_INVALID_PACKED_BUFFER, TW_INSUFFICIENT_PACKED_BUFFER},
      into.buffer, into.offset, storage.bytes(), bytes_per_element(storage.precision), context);
}

// Lets the packed matrix refer to the caller's matrix, which the kernel reads in place.
void stand_for(PackedMatrix& packed, const Plan& plan, const Matrix& matrix) {
  const GemmShape& shape = plan.problem.shape;
  if (plan.computes) {
    packed.storage = plan_factor(plan, packed.left).storage;
  }
  packed.rows = packed.left ? shape.m : shape.k;
  packed.columns = packed.left ? shape.k : shape.n;
  const std::size_t reals = reals_per_element(plan);
  packed.storage.ld = reals * matrix.ld;
  packed.memory = matrix.buffer;
  packed.offset = reals * matrix.offset;
}

}  // namespace

cl::Memory allocate_packed(Library& library, const Storage& storage) {
  const AllocateTemporary make = allocate_in(library.executor().context());
  try {
    return make(temporary_extents(storage));
  } catch (const Error& error) {
    if (!lacks_memory(error.opencl_code()) || !library.temporaries().release_free()) throw;
    return make(temporary_extents(storage));
  }
}

cl::Event enqueue_pack(Library& library, const cl::CommandQueue& queue, LoadedKernel& kernel,
                       const PackProblem& problem, const std::vector<cl::Event>& wait_list) {
  return require_event(launch_with_retry(library.temporaries(), [&] {
    return library.executor().launch(queue, kernel, problem, wait_list);
  }));
}

namespace {

// Sets the memory of the packed factor: `into`, or newly allocated memory.
void give_memory(PackedMatrix& packed, const Plan& plan, const Workspace& into) {
  Library& library = *plan.library;
  const Factor factor = plan_factor(plan, packed.left);
  if (into.buffer() != nullptr) {
    check_into(packed.operand, into, factor.storage, library.executor().context()());
  }
  packed.rows = factor.rows;
  packed.columns = factor.columns;
  packed.storage = factor.storage;
  packed.memory =
      into.buffer() != nullptr ? cl::Memory(into.buffer) : allocate_packed(library, factor.storage);
  packed.offset =
      into.buffer() != nullptr ? into.offset / bytes_per_element(factor.storage.precision) : 0;
  packed.bytes = temporary_extents(factor.storage).bytes;
}

// Enqueues the commands that pack the matrix.
cl::Event bring(const PackedMatrix& packed, const Plan& plan, const cl::CommandQueue& queue,
                const Matrix& matrix, const std::vector<cl::Event>& wait_list) {
  Library& library = *plan.library;
  const Factor factor = plan_factor(plan, packed.left);
  const std::size_t reals = reals_per_element(plan);
  MatrixArgument from{
      matrix.buffer(), matrix.offset, matrix.ld,
      buffer_alignment(matrix.buffer(), bytes_per_element(factor.storage.precision))};
  const ComplexOperand* complex = complex_operand(plan, packed.left);
  TemporaryLease lease(library.temporaries(), queue, wait_list);
  std::vector<cl::Event> waits = wait_list;
  if (is_converted(complex)) {
    const ComplexHost with = complex_host(library, nullptr);
    MatrixArgument to = packed.argument();
    if (factor.pack != nullptr) {
      const Storage storage = converted_storage(*complex, factor.storage.precision);
      to = {lease.take(storage), 0, storage.ld};
    }
    const cl::Event converted =
        enqueue_conversion(with, queue, {*complex, factor.storage.precision, from, to}, waits);
    lease.enqueued(converted);
    if (factor.pack == nullptr) return converted;
    from = to;
    waits = {converted};
  } else {
    from = {from.buffer, reals * from.offset, reals * from.ld};
  }
  PackProblem problem = pack_problem(factor.storage, factor.rows, factor.columns, from);
  problem.to = packed.argument();
  const cl::Event done = enqueue_pack(library, queue, *factor.pack, problem, waits);
  lease.enqueued(done);
  return done;
}

}  // namespace

PackedMatrix Plan::pack(Operand operand, const cl::CommandQueue& queue, const Matrix& matrix,
                        const std::vector<cl::Event>& wait_list, const Workspace& into) const {
  PackedMatrix packed;
  packed.operand = operand;
  packed.left = is_left(call, operand);
  if (computes) {
    check_matrix(call, operand_letter(operand), matrix, library->executor().context()());
    check_factor_alignment(*this, operand, matrix);
    if (const ComplexOperand* converted = complex_operand(*this, packed.left)) {
      packed.complex = *converted;
    }
  }
  library->check(queue, wait_list);
  if (!needs(operand).packed) {
    stand_for(packed, *this, matrix);
    packed.ready = library->enqueue_marker(queue, wait_list);
  } else {
    give_memory(packed, *this, into);
    packed.ready = bring(packed, *this, queue, matrix, wait_list);
  }
  // Another queue may wait for the event.
  check_opencl(queue.flush(), "clFlush");
  return packed;
}

}  // namespace tilewright
