// Packing: PackedMatrix, and the steps of Plan that make one.
#include <fmt/format.h>

#include <utility>

#include "runtime/api/plan_operands.hpp"
#include "runtime/call/opencl_error.hpp"

namespace tilewright {
namespace {

// What packing has to do with the operand's memory, before anything is enqueued.
void check_into(Operand operand, const PackInto& into, const Storage& storage, cl_context context) {
  const char name = name_of(operand);
  if (storage.image) {
    throw Error(TW_INVALID_VALUE,
                fmt::format("{} is packed into an image, which the library must make itself: give "
                            "no buffer for it",
                            name));
  }
  if (into.offset % Plan::offset_multiple() != 0) {
    throw Error(TW_INVALID_VALUE, fmt::format("packed {} is to go to offset {}: it must be a "
                                              "multiple of {} elements",
                                              name, into.offset, Plan::offset_multiple()));
  }
  check_room(name, into.buffer, into.offset, storage.elements, bytes_of(storage.precision),
             context);
}

// The caller's matrix as a factor that is read where it lies.
void stand_for(PackedStorage& packed, const PlannedGemm& planned, const Matrix& matrix) {
  const GemmShape& shape = planned.problem.shape;
  if (planned.computes) {
    packed.storage = factor_of(planned, packed.left).storage;
  }
  packed.rows = packed.left ? shape.m : shape.k;
  packed.columns = packed.left ? shape.k : shape.n;
  packed.storage.ld = matrix.ld;
  packed.memory = matrix.buffer;
  packed.offset = matrix.offset;
}

}  // namespace

cl::Memory allocate_packed(PlanHost& host, const Storage& storage) {
  const AllocateTemporary make = allocate_in(host.executor().context());
  try {
    return make(extents_of(storage));
  } catch (const Error& error) {
    if (!lacks_memory(error.opencl_code()) || !host.temporaries().release_free()) throw;
    return make(extents_of(storage));
  }
}

cl::Event enqueue_pack(PlanHost& host, const cl::CommandQueue& queue, LoadedKernel& kernel,
                       const PackProblem& problem, const std::vector<cl::Event>& wait_list) {
  return event_of(launch_with_room(host.temporaries(), [&] {
    return host.executor().launch(queue, kernel, problem, wait_list);
  }));
}

Operand PackedMatrix::operand() const {
  return storage_->operand;
}

std::size_t PackedMatrix::rows() const {
  const bool swapped = storage_->left != (storage_->operand == Operand::kA);
  return static_cast<std::size_t>(swapped ? storage_->columns : storage_->rows);
}

std::size_t PackedMatrix::columns() const {
  const bool swapped = storage_->left != (storage_->operand == Operand::kA);
  return static_cast<std::size_t>(swapped ? storage_->rows : storage_->columns);
}

std::string PackedMatrix::layout() const {
  return to_text(storage_->storage.layout);
}

std::size_t PackedMatrix::bytes() const {
  return storage_->bytes;
}

cl::Event PackedMatrix::ready() const {
  return storage_->ready;
}
PackedMatrix Plan::pack(Operand operand, const cl::CommandQueue& queue, const Matrix& matrix,
                        const PackInto* into, const std::vector<cl::Event>& wait_list) const {
  PlanHost& host = *planned_->host;
  const cl_context context = host.executor().context()();
  auto packed = std::make_shared<PackedStorage>();
  packed->operand = operand;
  packed->left = is_left(planned_->call, operand);
  if (planned_->computes) {
    check_matrix(planned_->call, name_of(operand), matrix, context);
    check_factor_alignment(*planned_, operand, matrix);
  }
  host.check(queue, wait_list);
  if (!needs_of(*planned_, operand).packed) {
    stand_for(*packed, *planned_, matrix);
    packed->ready = host.nothing(queue, wait_list);
  } else {
    const Factor factor = factor_of(*planned_, packed->left);
    if (into != nullptr) check_into(operand, *into, factor.storage, context);
    packed->rows = factor.rows;
    packed->columns = factor.columns;
    packed->storage = factor.storage;
    packed->memory =
        into != nullptr ? cl::Memory(into->buffer) : allocate_packed(host, factor.storage);
    packed->offset = into != nullptr ? into->offset : 0;
    packed->bytes = extents_of(factor.storage).bytes;
    PackProblem problem = pack_problem(factor.storage, factor.rows, factor.columns,
                                       {matrix.buffer(), matrix.offset, matrix.ld});
    problem.to = packed->argument();
    packed->ready = enqueue_pack(host, queue, *factor.pack, problem, wait_list);
  }
  // Another queue may wait for it.
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
