// The memory that the forms of a complex product need, and the order in which they are tried.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/call/storage.hpp"
#include "runtime/complex/complex_form.hpp"

namespace tilewright {

// Leading dimension of a temporary of reals, and its number of elements.
std::size_t row_distance(std::int64_t columns);
std::size_t matrix_elements(std::int64_t rows, std::int64_t columns);
// Storage for `count` matrices of reals.
Storage temporary_storage(Precision precision, std::int64_t rows, std::int64_t columns,
                          std::size_t count);
// Storage for the converted operands of `count` products.
Storage converted_storage(const ComplexOperand& operand, Precision precision,
                          std::size_t count = 1);

// No limit on the size of a buffer.
inline constexpr std::uint64_t kAnyBufferBytes = std::numeric_limits<std::uint64_t>::max();

// The steps of all forms for a problem that reads its operands, best first: forms with a matrix
// that does not fit into one buffer are last; otherwise the memory traffic decides.
std::array<ComplexSteps, 3> ranked_steps(const GemmProblem& problem,
                                         std::uint64_t max_buffer_bytes);

}  // namespace tilewright
