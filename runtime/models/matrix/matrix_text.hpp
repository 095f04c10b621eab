// Converts between a matrix and the content of a .npy or CSV file. matrix_file.hpp reads
// and writes the files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/models/matrix/matrix_file.hpp"

namespace tilewright {

// Parse the content of a .npy or CSV file. Elements are float or double. `file` is only used in
// messages. Throw MatrixFileError.
template <typename Element>
HostMatrix<Element> parse_npy(std::string_view content, const std::string& file);
template <typename Element>
HostMatrix<Element> parse_csv(std::string_view content, const std::string& file);
template <typename Element>
std::vector<NamedMatrix<Element>> parse_npz(std::string_view content, const std::string& file);

// Return the content of a file with this matrix. The matrix must be valid; for CSV it needs at
// least one element.
std::string npy_text(const FloatMatrix& matrix);
std::string csv_text(const FloatMatrix& matrix);
// The names must be different. Throws MatrixFileError if the format cannot hold the matrices.
std::string npz_text(const std::vector<NamedMatrix<float>>& matrices, const std::string& file);

// Returns the transpose.
template <typename Element>
HostMatrix<Element> transposed(const HostMatrix<Element>& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.rows);
  const auto columns = static_cast<std::size_t>(matrix.columns);
  HostMatrix<Element> result{matrix.columns, matrix.rows,
                             std::vector<Element>(matrix.values.size())};
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
