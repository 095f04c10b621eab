// Packing: PackedMatrix, and the functions of Plan that create one.
#include <fmt/format.h>

#include <span>
#include <utility>

#include "runtime/api/moved_from.hpp"
#include "runtime/api/plan_operands.hpp"
#include "runtime/call/buffer_alignment.hpp"
#include "runtime/call/opencl_error.hpp"
#include "runtime/call/operand_check.hpp"

namespace tilewright {
namespace {

constexpr const char* kPacked = "packed matrix";

// Checks the caller's memory for the packed operand before anything is enqueued.
void check_into(Operand operand, const PackInto& into, const Storage& storage, cl_context context) {
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
      into.buffer, into.offset, storage.elements, bytes_per_element(storage.precision), context);
}

// Lets the packed matrix refer to the caller's matrix, which the kernel reads in place.
void stand_for(PackedStorage& packed, const PlannedGemm& planned, const Matrix& matrix) {
  const GemmShape& shape = planned.problem.shape;
  if (planned.computes) {
    packed.storage = plan_factor(planned, packed.left).storage;
  }
  packed.rows = packed.left ? shape.m : shape.k;
  packed.columns = packed.left ? shape.k : shape.n;
  const std::size_t reals = reals_per_element(planned);
  packed.storage.ld = reals * matrix.ld;
  packed.memory = matrix.buffer;
  packed.offset = reals * matrix.offset;
}

}  // namespace

cl::Memory allocate_packed(PlanHost& host, const Storage& storage) {
  const AllocateTemporary make = allocate_in(host.executor().context());
  try {
    return make(temporary_extents(storage));
  } catch (const Error& error) {
    if (!lacks_memory(error.opencl_code()) || !host.temporaries().release_free()) throw;
    return make(temporary_extents(storage));
  }
}

cl::Event enqueue_pack(PlanHost& host, const cl::CommandQueue& queue, LoadedKernel& kernel,
                       const PackProblem& problem, const std::vector<cl::Event>& wait_list) {
  return require_event(launch_with_retry(host.temporaries(), [&] {
    return host.executor().launch(queue, kernel, problem, wait_list);
  }));
}

Operand PackedMatrix::operand() const {
  return require_state(storage_, kPacked).operand;
}

std::size_t PackedMatrix::rows() const {
  const PackedStorage& packed = require_state(storage_, kPacked);
  const bool swapped = packed.left != (packed.operand == Operand::kA);
  return static_cast<std::size_t>(swapped ? packed.call_columns : packed.call_rows);
}

std::size_t PackedMatrix::columns() const {
  const PackedStorage& packed = require_state(storage_, kPacked);
  const bool swapped = packed.left != (packed.operand == Operand::kA);
  return static_cast<std::size_t>(swapped ? packed.call_rows : packed.call_columns);
}

std::string PackedMatrix::layout() const {
  return to_text(require_state(storage_, kPacked).storage.layout);
}

std::size_t PackedMatrix::bytes() const {
  return require_state(storage_, kPacked).bytes;
}

cl::Event PackedMatrix::ready() const {
  return require_state(storage_, kPacked).ready;
}

namespace {

// Sets the memory of the packed factor: `into`, or newly allocated memory.
void give_memory(PackedStorage& packed, const PlannedGemm& planned, const PackInto* into) {
  PlanHost& host = *planned.host;
  const Factor factor = plan_factor(planned, packed.left);
  if (into != nullptr) {
    check_into(packed.operand, *into, factor.storage, host.executor().context()());
  }
  packed.rows = factor.rows;
  packed.columns = factor.columns;
  packed.storage = factor.storage;
  packed.memory =
      into != nullptr ? cl::Memory(into->buffer) : allocate_packed(host, factor.storage);
  packed.offset = into != nullptr ? into->offset / bytes_per_element(factor.storage.precision) : 0;
  packed.bytes = temporary_extents(factor.storage).bytes;
}

// Enqueues the commands that pack the matrix.
cl::Event bring(const PackedStorage& packed, const PlannedGemm& planned,
                const cl::CommandQueue& queue, const Matrix& matrix,
                const std::vector<cl::Event>& wait_list) {
  PlanHost& host = *planned.host;
  const Factor factor = plan_factor(planned, packed.left);
  const std::size_t reals = reals_per_element(planned);
  MatrixArgument from{
      matrix.buffer(), matrix.offset, matrix.ld,
      buffer_alignment(matrix.buffer(), bytes_per_element(factor.storage.precision))};
  const ComplexOperand* complex = complex_operand(planned, packed.left);
  TemporaryLease lease(host.temporaries(), queue, wait_list);
  std::vector<cl::Event> waits = wait_list;
  if (is_converted(complex)) {
    const ComplexHost with = complex_host(host, nullptr);
    MatrixArgument to = packed.argument();
    if (factor.pack != nullptr) {
      const Storage storage = converted_storage(*complex, factor.storage.precision);
      to = {lease.take(storage), 0, storage.ld};
      const std::span<const cl::Event> all = lease.waits_with_users(wait_list);
      waits = {all.begin(), all.end()};
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
  const cl::Event done = enqueue_pack(host, queue, *factor.pack, problem, waits);
  lease.enqueued(done);
  return done;
}

}  // namespace

PackedMatrix Plan::pack(Operand operand, const cl::CommandQueue& queue, const Matrix& matrix,
                        const PackInto* into, const std::vector<cl::Event>& wait_list) const {
  const PlannedGemm& planned = require_state(planned_, "plan");
  PlanHost& host = *planned.host;
  auto packed = std::make_shared<PackedStorage>();
  packed->operand = operand;
  packed->left = is_left(planned.call, operand);
  const auto [op, shape] = row_major_shape(planned.call);
  packed->call_rows = packed->left ? shape.m : shape.k;
  packed->call_columns = packed->left ? shape.k : shape.n;
  if (planned.computes) {
    check_matrix(planned.call, operand_letter(operand), matrix, host.executor().context()());
    check_factor_alignment(planned, operand, matrix);
    if (const ComplexOperand* complex = complex_operand(planned, packed->left)) {
      packed->complex = *complex;
    }
  }
  host.check(queue, wait_list);
  if (!operand_needs(planned, operand).packed) {
    stand_for(*packed, planned, matrix);
    packed->ready = host.enqueue_marker(queue, wait_list);
  } else {
    give_memory(*packed, planned, into);
    packed->ready = bring(*packed, planned, queue, matrix, wait_list);
  }
  // Another queue may wait for the event.
  check_opencl(queue.flush(), "clFlush");
  return PackedMatrix(std::move(packed));
}

PackedMatrix Plan::pack_a(const cl::CommandQueue& queue, const Matrix& a,
                          const std::vector<cl::Event>& wait_list) const {
  return pack(Operand::kA, queue, a, nullptr, wait_list);
}

PackedMatrix Plan::pack_a(const cl::CommandQueue& queue, const Matrix& a, const PackInto& into,
                          const std::vector<cl::Event>& wait_list) const {
  return pack(Operand::kA, queue, a, &into, wait_list);
}

PackedMatrix Plan::pack_b(const cl::CommandQueue& queue, const Matrix& b,
                          const std::vector<cl::Event>& wait_list) const {
  return pack(Operand::kB, queue, b, nullptr, wait_list);
}

PackedMatrix Plan::pack_b(const cl::CommandQueue& queue, const Matrix& b, const PackInto& into,
                          const std::vector<cl::Event>& wait_list) const {
  return pack(Operand::kB, queue, b, &into, wait_list);
}

}  // namespace tilewright
