// How much memory do the forms of a complex product need, and which form is tried first?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/call/storage.hpp"
#include "runtime/complex/complex_form.hpp"

namespace tilewright {

// The leading dimension of a temporary of reals, and the elements of one matrix.
std::size_t row_distance(std::int64_t columns);
std::size_t matrix_elements(std::int64_t rows, std::int64_t columns);
// Of `count` matrices of reals.
Storage temporary_storage(Precision precision, std::int64_t rows, std::int64_t columns,
                          std::size_t count);
// Memory for the converted operands of so many products.
Storage converted_storage(const ComplexOperand& operand, Precision precision,
                          std::size_t count = 1);

// No bound of the bytes of one buffer.
inline constexpr std::uint64_t kAnyBufferBytes = std::numeric_limits<std::uint64_t>::max();

// The steps of all forms for a problem that reads its operands, best first: those of which a matrix
// does not fit in one buffer come last, then the traffic decides.
std::array<ComplexSteps, 3> ranked_steps(const GemmProblem& problem,
                                         std::uint64_t max_buffer_bytes);

}  // namespace tilewright
