// Functions that all readers of matrix files share.
#include <fmt/format.h>

#include "matrix_text.hpp"
#include "profiles/base/printable.hpp"

namespace tilewright {

MatrixFileError::MatrixFileError(const std::string& file, const std::string& reason)
    : std::runtime_error(fmt::format("'{}': {}", printable(file), reason)),
      file_(file),
      reason_(reason) {}

FloatMatrix transposed(const FloatMatrix& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.rows);
  const auto columns = static_cast<std::size_t>(matrix.columns);
  FloatMatrix result{matrix.columns, matrix.rows, std::vector<float>(matrix.values.size())};
  // Without elements, one extent is 0 and the other may be huge: do not iterate over it.
  if (matrix.values.empty()) return result;
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t row = 0; row < rows; ++row) {
      result.values[column * rows + row] = matrix.values[row * columns + column];
    }
  }
  return result;
}

}  // namespace tilewright
