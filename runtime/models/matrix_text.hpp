// Converts between a matrix and the content of a .npy or CSV file. tilewright/matrix_file.hpp reads
// and writes the files.
#pragma once

#include <string>
#include <string_view>

#include <tilewright/matrix_file.hpp>

namespace tilewright {

// Parse the content of a .npy or CSV file. `file` is only used in messages. Throw MatrixFileError.
FloatMatrix parse_npy(std::string_view content, const std::string& file);
FloatMatrix parse_csv(std::string_view content, const std::string& file);

// Return the content of a file with this matrix. The matrix must be valid; for CSV it needs at
// least one element.
std::string npy_text(const FloatMatrix& matrix);
std::string csv_text(const FloatMatrix& matrix);

// Returns the transpose.
FloatMatrix transposed(const FloatMatrix& matrix);

}  // namespace tilewright
