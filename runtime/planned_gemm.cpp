#include "runtime/planned_gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/opencl_error.hpp"

namespace tilewright {
namespace {

char name_of(Operand operand) {
  return operand == Operand::kA ? 'A' : 'B';
}

// Is the caller's operand the left factor of the row-major product?
bool is_left(const GemmCall& call, Operand operand) {
  return (operand == Operand::kA) == (call.order == Order::kRowMajor);
}

// One factor of a plan's row-major product.
struct Factor {
  Storage storage;               // as the kernel wants it
  std::int64_t rows;             // without padding
  std::int64_t columns;          // likewise
  LoadedKernel* pack = nullptr;  // null: it is read where it lies
};

Factor factor_of(const PlannedGemm& planned, bool left) {
  const KernelRecord& record = planned.route.gemm->record();
  const GemmShape& shape = planned.problem.shape;
  if (left) return {storage_a(record, shape), shape.m, shape.k, planned.route.pack_a};
  return {storage_b(record, shape), shape.k, shape.n, planned.route.pack_b};
}

OperandNeeds needs_of(const PlannedGemm& planned, Operand operand) {
  if (!planned.computes) return {};
  const Factor factor = factor_of(planned, is_left(planned.call, operand));
  if (factor.pack == nullptr) return {};
  return {true, factor.storage.image, extents_of(factor.storage).bytes};
}

// Kernels count on a matrix to lie as aligned as it was planned.
void check_alignment(char name, const Matrix& matrix, const LoadedKernel* kernel) {
  if (kernel == nullptr) return;
  const KernelRecord& record = kernel->record();
  const auto wanted = static_cast<std::size_t>(record.alignment);
  if (matrix.offset % wanted == 0 && matrix.ld % wanted == 0) return;
  throw Error(TW_WRONG_LAYOUT,
              fmt::format("{} has offset {} and leading dimension {}, but kernel '{}' of the plan "
                          "needs multiples of {}: make a plan with this offset and leading "
                          "dimension",
                          name, matrix.offset, matrix.ld, record.name, wanted));
}

void check_factor_alignment(const PlannedGemm& planned, Operand operand, const Matrix& matrix) {
  const bool left = is_left(planned.call, operand);
  LoadedKernel* pack = left ? planned.route.pack_a : planned.route.pack_b;
  check_alignment(name_of(operand), matrix, pack != nullptr ? pack : planned.route.gemm);
}

void check_c_alignment(const Route& route, const Matrix& c) {
  const bool direct = route.reduce == nullptr && route.unpack_c == nullptr;
  for (const LoadedKernel* kernel :
       {route.reduce, route.unpack_c, route.pack_c, direct ? route.gemm : nullptr}) {
    check_alignment('C', c, kernel);
  }
}

std::string describe(const Storage& storage, std::int64_t rows, std::int64_t columns) {
  return fmt::format("{} x {} in layout {}{}, padded to {} x {}, leading dimension {}", rows,
                     columns, to_text(storage.layout), storage.image ? " (image)" : "",
                     storage.rows, storage.columns, storage.ld);
}

bool same_context(const cl::Memory& memory, cl_context context) {
  cl_context owner = nullptr;
  return memory() == nullptr || (clGetMemObjectInfo(memory(), CL_MEM_CONTEXT, sizeof(owner), &owner,
                                                    nullptr) == CL_SUCCESS &&
                                 owner == context);
}

// Whether a packed matrix lies as the kernel wants that factor. In plain layouts any leading
// dimension will do that is aligned.
bool lies_as(const PackedStorage& packed, const Factor& factor, int alignment) {
  const Storage& has = packed.storage;
  const Storage& wants = factor.storage;
  const auto multiple = static_cast<std::size_t>(alignment);
  const bool ld_serves = wants.layout.is_plain() && !wants.image
                             ? has.ld % multiple == 0 && packed.offset % multiple == 0
                             : has.ld == wants.ld;
  return packed.rows == factor.rows && packed.columns == factor.columns &&
         has.layout == wants.layout && has.image == wants.image && has.rows == wants.rows &&
         has.columns == wants.columns && ld_serves;
}

void check_packed(const PlannedGemm& planned, Operand operand, const PackedStorage* packed) {
  const char name = name_of(operand);
  if (packed == nullptr) {
    throw Error(TW_INVALID_VALUE, fmt::format("packed {} was moved from", name));
  }
  if (packed->operand != operand) {
    throw Error(TW_WRONG_LAYOUT, fmt::format("the matrix that is given for {} was packed for {}",
                                             name, name_of(packed->operand)));
  }
  if (!same_context(packed->memory, planned.host->executor().context()())) {
    throw Error(operand == Operand::kA ? TW_INVALID_BUFFER_A : TW_INVALID_BUFFER_B,
                fmt::format("packed {} belongs to another context than the library", name));
  }
  if (packed->left != is_left(planned.call, operand)) {
    throw Error(TW_WRONG_LAYOUT,
                fmt::format("{} was packed for {}-major products", name,
                            packed->left == (operand == Operand::kA) ? "row" : "column"));
  }
  if (!planned.computes) return;
  const Factor factor = factor_of(planned, packed->left);
  const KernelRecord& record = planned.route.gemm->record();
  if (!lies_as(*packed, factor, record.alignment)) {
    throw Error(TW_WRONG_LAYOUT,
                fmt::format("packed {} is {}; kernel '{}' of the plan wants {}", name,
                            describe(packed->storage, packed->rows, packed->columns), record.name,
                            describe(factor.storage, factor.rows, factor.columns)));
  }
}

MatrixArgument argument_of(const PackedStorage& packed) {
  return {packed.memory(), packed.offset, packed.storage.ld};
}

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
  check_room(operand, into.buffer, into.offset, storage.elements, context);
}

cl::Memory allocate(PlanHost& host, const Storage& storage) {
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
  const Launched launched = launch_with_room(
      host.temporaries(), [&] { return host.executor().pack(queue, kernel, problem, wait_list); });
  if (const auto* rejection = std::get_if<Rejection>(&launched)) {
    throw Error(status_of(rejection->opencl_code), rejection->reason, rejection->opencl_code);
  }
  return std::get<cl::Event>(launched);
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

// Packing that has failed makes what waits for it fail, too.
void add_unless_complete(std::vector<cl::Event>& wait_list, const cl::Event& event) {
  cl_int code = CL_SUCCESS;
  if (event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(&code) != CL_COMPLETE ||
      code != CL_SUCCESS) {
    wait_list.push_back(event);
  }
}

}  // namespace

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

const std::string& Plan::kernel() const {
  return planned_->kernel;
}

const std::string& Plan::reason() const {
  return planned_->reason;
}

OperandNeeds Plan::needs_a() const {
  return needs_of(*planned_, Operand::kA);
}

OperandNeeds Plan::needs_b() const {
  return needs_of(*planned_, Operand::kB);
}

std::size_t Plan::workspace_bytes() const {
  const Route& route = planned_->route;
  if (route.reduce == nullptr && route.unpack_c == nullptr) return 0;
  const KernelRecord& record = route.gemm->record();
  const GemmShape& shape = planned_->problem.shape;
  return extents_of(route.reduce != nullptr ? storage_parts(record, shape)
                                            : storage_c(record, shape))
      .bytes;
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
    packed->memory = into != nullptr ? cl::Memory(into->buffer) : allocate(host, factor.storage);
    packed->offset = into != nullptr ? into->offset : 0;
    packed->bytes = extents_of(factor.storage).bytes;
    PackProblem problem = pack_problem(factor.storage, factor.rows, factor.columns,
                                       {matrix.buffer(), matrix.offset, matrix.ld});
    problem.to = argument_of(*packed);
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

cl::Event Plan::execute(const cl::CommandQueue& queue, const GemmOperand& a, const GemmOperand& b,
                        const Matrix& c, float alpha, float beta,
                        const std::vector<cl::Event>& wait_list) const {
  const PlannedGemm& planned = *planned_;
  PlanHost& host = *planned.host;
  GemmCall call = planned.call;
  call.alpha = alpha;
  call.beta = beta;
  for (const auto& [operand, given] : {std::pair{Operand::kA, &a}, {Operand::kB, &b}}) {
    if (given->is_packed_) check_packed(planned, operand, given->packed_.get());
  }
  const Matrix& matrix_a = a.is_packed_ ? planned.a : a.matrix_;
  const Matrix& matrix_b = b.is_packed_ ? planned.b : b.matrix_;
  // Then A and B are not read, and any kernel that is served for such a call will do.
  if (!planned.computes || alpha == 0.0f) {
    return host.sgemm(queue, call, matrix_a, matrix_b, c, wait_list);
  }
  GemmProblem problem = resolve(call, matrix_a, matrix_b, c);
  Route route;
  route.gemm = planned.route.gemm;
  route.pack_a = planned.route.pack_a;
  route.pack_b = planned.route.pack_b;
  route.pack_c = beta == 0.0f ? nullptr : planned.route.pack_c;
  route.unpack_c = planned.route.unpack_c;
  route.reduce = planned.route.reduce;
  std::vector<cl::Event> waits = wait_list;
  const cl_context context = host.executor().context()();
  for (const auto& [operand, given] : {std::pair{Operand::kA, &a}, {Operand::kB, &b}}) {
    if (!given->is_packed_) {
      check_matrix(call, name_of(operand), given->matrix_, context);
      check_factor_alignment(planned, operand, given->matrix_);
      continue;
    }
    const PackedStorage& packed = *given->packed_;
    (packed.left ? problem.a : problem.b) = argument_of(packed);
    (packed.left ? route.pack_a : route.pack_b) = nullptr;
    add_unless_complete(waits, packed.ready);
  }
  check_matrix(call, 'C', c, context);
  check_c_alignment(route, c);
  host.check(queue, wait_list);
  return enqueue(host.executor(), &host.temporaries(), queue, route, problem, waits);
}

}  // namespace tilewright
