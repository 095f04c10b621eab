#include "runtime/api/plan_operands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/call/buffer_alignment.hpp"

namespace tilewright {
namespace {

// The caller's matrix as seen by a kernel for real numbers. `reals` is the number of reals per
// element.
MatrixArgument in_reals(const Matrix& matrix, std::size_t reals, Precision precision) {
  return {matrix.buffer(), matrix.offset * reals, matrix.ld * reals,
          buffer_alignment(matrix.buffer(), bytes_per_element(precision))};
}

void check_alignment(char name, const Matrix& matrix, const LoadedKernel* kernel,
                     std::size_t reals) {
  if (kernel == nullptr) return;
  const KernelRecord& record = kernel->record();
  const auto wanted =
      static_cast<std::size_t>(name == 'C' ? record.alignment_c() : record.alignment);
  if (wanted == 1) return;
  const MatrixArgument has = in_reals(matrix, reals, record.precision);
  if (has.is_aligned(wanted)) return;
  const std::size_t elements = wanted / std::min(wanted, reals);
  if (has.start_alignment % wanted == 0) {
    throw Error(
        TW_WRONG_LAYOUT,
        fmt::format(
            "{} has offset {} and leading dimension {}, but kernel '{}' of the plan needs multiples "
            "of {}; make a plan for this offset and leading dimension",
            name, matrix.offset, matrix.ld, record.name, elements));
  }
  throw Error(
      TW_WRONG_LAYOUT,
      fmt::format(
          "the buffer of {} starts at an address that is not a multiple of {} bytes, which kernel "
          "'{}' of the plan needs; align the memory, or plan for this buffer: pass it, "
          "or offset {} for {}, to tw_plan_create()",
          name, wanted * bytes_per_element(record.precision), record.name,
          std::max<std::size_t>(1, has.start_alignment / reals), name));
}

std::string describe(const Storage& storage, std::int64_t rows, std::int64_t columns) {
  return fmt::format("{} x {} in {}, layout {}{}, padded to {} x {}, leading dimension {}", rows,
                     columns, elements_text(storage.precision), to_text(storage.layout),
                     storage.image ? " (image)" : "", storage.rows, storage.columns, storage.ld);
}

bool same_context(const cl::Memory& memory, cl_context context) {
  cl_context owner = nullptr;
  return memory() == nullptr || (clGetMemObjectInfo(memory(), CL_MEM_CONTEXT, sizeof(owner), &owner,
                                                    nullptr) == CL_SUCCESS &&
                                 owner == context);
}

// Includes the alignment of the memory, which may belong to the caller.
MatrixArgument packed_argument(const PackedMatrix& packed) {
  MatrixArgument argument = packed.argument();
  argument.start_alignment =
      buffer_alignment(argument.buffer, bytes_per_element(packed.storage.precision));
  return argument;
}

// True if a packed matrix is stored as the kernel requires the factor. In plain layouts any aligned
// leading dimension is accepted.
bool is_stored_as(const PackedMatrix& packed, const Factor& factor, int alignment) {
  const Storage& has = packed.storage;
  const Storage& wants = factor.storage;
  const auto multiple = static_cast<std::size_t>(alignment);
  const bool is_ld_supported = wants.layout.is_plain() && !wants.image
                                   ? packed_argument(packed).is_aligned(multiple)
                                   : has.ld == wants.ld;
  return has.precision == wants.precision && packed.rows == factor.rows &&
         packed.columns == factor.columns && has.layout == wants.layout &&
         has.image == wants.image && has.rows == wants.rows && has.columns == wants.columns &&
         is_ld_supported;
}

}  // namespace

Factor plan_factor(const Plan& plan, bool left) {
  const Route& route = plan.route();
  const GemmShape& shape = plan.problem.shape;
  if (left) return {route.storage.a, shape.m, shape.k, route.kernels[CallStep::kPackA]};
  return {route.storage.b, shape.k, shape.n, route.kernels[CallStep::kPackB]};
}

const ComplexOperand* complex_operand(const Plan& plan, bool left) {
  if (!plan.complex) return nullptr;
  return left ? &plan.complex->a : &plan.complex->b;
}

ComplexHost complex_host(
    Library& library,
    std::function<cl::Event(const GemmProblem&, const std::vector<cl::Event>&)> multiply) {
  return {library.executor(), library.temporaries(), library.complex_kernels(), std::move(multiply),
          [&library](const cl::CommandQueue& queue) { return library.enqueue_marker(queue, {}); }};
}

OperandNeeds Plan::needs(Operand operand) const {
  if (!computes) return {};
  const bool left = is_left(call, operand);
  const Factor factor = plan_factor(*this, left);
  if (factor.pack == nullptr && !is_converted(complex_operand(*this, left))) return {};
  return {true, factor.storage.image, temporary_extents(factor.storage).bytes};
}

void check_factor_alignment(const Plan& plan, Operand operand, const Matrix& matrix) {
  const bool left = is_left(plan.call, operand);
  if (is_converted(complex_operand(plan, left))) return;
  const auto& kernels = plan.route().kernels;
  LoadedKernel* pack = kernels[left ? CallStep::kPackA : CallStep::kPackB];
  check_alignment(operand_letter(operand), matrix,
                  pack != nullptr ? pack : kernels[CallStep::kGemm], reals_per_element(plan));
}

void check_c_alignment(const Plan& plan, const Matrix& c, bool reads_c) {
  if (plan.complex && plan.complex->combines) return;
  const Route& route = plan.route();
  const auto check = [&](CallStep step) {
    check_alignment('C', c, route.kernels[step], reals_per_element(plan));
  };
  // With parts of shared tiles, the product also stores the other tiles in C.
  const bool divides = route.plan.division && route.plan.parts.count > 0;
  if (!route.storage.between || divides) check(CallStep::kGemm);
  if (reads_c) check(CallStep::kPackC);
  for (const StepFacts& facts : kCallSteps) {
    if (facts.writes_c) check(facts.step);
  }
}

void check_packed(const Plan& plan, Operand operand, const PackedMatrix& packed) {
  const char name = operand_letter(operand);
  if (packed.operand != operand) {
    throw Error(TW_WRONG_LAYOUT, fmt::format("the packed matrix for {} was packed for {}", name,
                                             operand_letter(packed.operand)));
  }
  if (!same_context(packed.memory, plan.library->executor().context()())) {
    throw Error(operand == Operand::kA ? TW_INVALID_BUFFER_A : TW_INVALID_BUFFER_B,
                fmt::format("packed {} belongs to another context than the library", name));
  }
  if (packed.left != is_left(plan.call, operand)) {
    throw Error(TW_WRONG_LAYOUT,
                fmt::format("{} was packed for {}-major products", name,
                            packed.left == (operand == Operand::kA) ? "row" : "column"));
  }
  if (!plan.computes) return;
  const Factor factor = plan_factor(plan, packed.left);
  const KernelRecord& record = plan.route().kernels[CallStep::kGemm]->record();
  const ComplexOperand* complex = complex_operand(plan, packed.left);
  if (packed.complex.has_value() != (complex != nullptr) ||
      (complex != nullptr && !packed.complex->converts_as(*complex))) {
    throw Error(
        TW_WRONG_LAYOUT,
        fmt::format("packed {} does not match the plan: its element type or conversion differs",
                    name));
  }
  if (!is_stored_as(packed, factor, record.alignment)) {
    throw Error(TW_WRONG_LAYOUT,
                fmt::format("packed {} is {}, but kernel '{}' of the plan needs {}", name,
                            describe(packed.storage, packed.rows, packed.columns), record.name,
                            describe(factor.storage, factor.rows, factor.columns)));
  }
}

}  // namespace tilewright
