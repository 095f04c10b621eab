#include "runtime/complex/complex_memory.hpp"

#include <algorithm>

#include "profiles/round_up.hpp"

namespace tilewright {
namespace {

// Long rows of temporaries are aligned, for kernels that require it.
constexpr std::int64_t kAligned = 16;
constexpr std::int64_t kLong = 64;

// True if each matrix that these steps create fits into one buffer.
bool fits(const GemmProblem& problem, const ComplexSteps& steps, std::uint64_t max_buffer_bytes) {
  for (const ComplexOperand* operand : {&steps.a, &steps.b}) {
    if (operand->conversion == Conversion::kNone) continue;
    if (converted_storage(*operand, problem.precision).bytes() > max_buffer_bytes) return false;
  }
  return !steps.combines ||
         temporary_storage(problem.precision, steps.real.m, steps.real.n, 1).bytes() <=
             max_buffer_bytes;
}

}  // namespace

std::size_t row_distance(std::int64_t columns) {
  return static_cast<std::size_t>(columns < kLong ? std::max<std::int64_t>(1, columns)
                                                  : round_up(columns, kAligned));
}

std::size_t matrix_elements(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows) * row_distance(columns);
}

Storage temporary_storage(Precision precision, std::int64_t rows, std::int64_t columns,
                          std::size_t count) {
  const std::uint64_t elements = std::uint64_t{matrix_elements(rows, columns)} * count;
  Storage storage;
  storage.layout = Layout::R();
  storage.rows = rows;
  storage.columns = columns;
  storage.ld = row_distance(columns);
  storage.elements = static_cast<std::size_t>(std::min<std::uint64_t>(elements, kMaxElements));
  storage.precision = precision;
  return storage;
}

Storage converted_storage(const ComplexOperand& operand, Precision precision, std::size_t count) {
  return temporary_storage(precision, operand.real_rows(), operand.real_columns(), count);
}

std::array<ComplexSteps, 3> ranked_steps(const GemmProblem& problem,
                                         std::uint64_t max_buffer_bytes) {
  std::array<ComplexSteps, 3> ranked;
  const std::array<ComplexForm, 3> forms = complex_forms(problem.op, problem.shape);
  std::transform(forms.begin(), forms.end(), ranked.begin(),
                 [&](ComplexForm form) { return complex_steps(problem, form); });
  std::stable_partition(ranked.begin(), ranked.end(), [&](const ComplexSteps& steps) {
    return fits(problem, steps, max_buffer_bytes);
  });
  return ranked;
}

}  // namespace tilewright
