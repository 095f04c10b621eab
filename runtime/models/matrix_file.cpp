#include "tilewright/matrix_file.hpp"

#include <fmt/format.h>

#include <limits>

#include "matrix_text.hpp"
#include "named_file.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/base/write_file.hpp"

namespace tilewright {
namespace {

std::string read_content(const std::string& path) {
  FileContent content = read_file(path);
  if (!content.failure.empty()) throw MatrixFileError(path, content.failure);
  return std::move(content.bytes);
}

void expect_matrix(const FloatMatrix& matrix) {
  const auto rows = static_cast<std::uint64_t>(matrix.rows);
  const auto columns = static_cast<std::uint64_t>(matrix.columns);
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const bool right = matrix.rows >= 0 && matrix.columns >= 0 &&
                     (rows == 0 || columns <= most / rows) &&
                     rows * columns == matrix.values.size();
  if (!right) {
    throw std::invalid_argument(fmt::format("a matrix of {} x {} elements has {} values",
                                            matrix.rows, matrix.columns, matrix.values.size()));
  }
}

enum class MatrixFormat { kNpy, kCsv };

MatrixFormat find_matrix_format(const std::string& path) {
  const std::string extension = file_extension(path);
  if (extension == ".npy") return MatrixFormat::kNpy;
  if (extension == ".csv") return MatrixFormat::kCsv;
  throw MatrixFileError(
      path, fmt::format("has the extension {}; the supported extensions are .npy and .csv",
                        in_quotes(extension)));
}

}  // namespace

void check_matrix_extension(const std::string& path) {
  find_matrix_format(path);
}

FloatMatrix read_matrix(const std::string& path) {
  return find_matrix_format(path) == MatrixFormat::kNpy ? read_npy(path) : read_csv(path);
}

void write_matrix(const FloatMatrix& matrix, const std::string& path) {
  find_matrix_format(path) == MatrixFormat::kNpy ? write_npy(matrix, path)
                                                 : write_csv(matrix, path);
}

FloatMatrix read_npy(const std::string& path) {
  return parse_npy(read_content(path), path);
}

void write_npy(const FloatMatrix& matrix, const std::string& path) {
  expect_matrix(matrix);
  write_file_atomically(path, npy_text(matrix));
}

FloatMatrix read_csv(const std::string& path) {
  return parse_csv(read_content(path), path);
}

void write_csv(const FloatMatrix& matrix, const std::string& path) {
  expect_matrix(matrix);
  if (matrix.values.empty()) {
    throw MatrixFileError(
        path,
        fmt::format("a matrix of {} x {} elements cannot be written as CSV; write a .npy file",
                    matrix.rows, matrix.columns));
  }
  write_file_atomically(path, csv_text(matrix));
}

}  // namespace tilewright
