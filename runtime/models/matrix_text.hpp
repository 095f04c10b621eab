// How do the bytes of a matrix file become a matrix, and a matrix bytes?
// (tilewright/matrix_file.hpp, without the files.)
#pragma once

#include <string>
#include <string_view>

#include <tilewright/matrix_file.hpp>

namespace tilewright {

// The matrix that the content of a .npy or CSV file holds. `file` is only used in errors. Throws
// MatrixFileError.
FloatMatrix parse_npy(std::string_view content, const std::string& file);
FloatMatrix parse_csv(std::string_view content, const std::string& file);

// The content of a file that holds the matrix, which must be one. A CSV needs an element.
std::string npy_text(const FloatMatrix& matrix);
std::string csv_text(const FloatMatrix& matrix);

// The element at (row, column) becomes the one at (column, row).
FloatMatrix transposed(const FloatMatrix& matrix);

}  // namespace tilewright
