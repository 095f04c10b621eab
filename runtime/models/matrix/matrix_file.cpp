#include "runtime/models/matrix/matrix_file.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "matrix/matrix_text.hpp"
#include "named_file.hpp"
#include "profiles/base/printable.hpp"
#include "profiles/base/write_file.hpp"

namespace tilewright {

MatrixFileError::MatrixFileError(const std::string& file, const std::string& reason)
    : std::runtime_error(fmt::format("'{}': {}", printable(file), reason)),
      file_(file),
      reason_(reason) {}
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

enum class MatrixFormat { kNpy, kNpz, kCsv };

MatrixFormat find_matrix_format(const std::string& path) {
  const std::string extension = file_extension(path);
  if (extension == ".npy") return MatrixFormat::kNpy;
  if (extension == ".npz") return MatrixFormat::kNpz;
  if (extension == ".csv") return MatrixFormat::kCsv;
  throw MatrixFileError(
      path, fmt::format("has the extension {}; the supported extensions are .npy, .npz and .csv",
                        in_quotes(extension)));
}

template <typename Element>
HostMatrix<Element> only_array(std::vector<NamedMatrix<Element>> arrays, const std::string& path) {
  if (arrays.size() == 1) return std::move(arrays.front().matrix);
  std::string names;
  for (const auto& array : arrays) names += (names.empty() ? "" : ", ") + in_quotes(array.name);
  throw MatrixFileError(path, fmt::format("holds {} arrays{}{}; one is expected", arrays.size(),
                                          names.empty() ? "" : ": ", names));
}

}  // namespace

void check_matrix_extension(const std::string& path) {
  find_matrix_format(path);
}

template <typename Element>
HostMatrix<Element> read_matrix(const std::string& path) {
  const MatrixFormat format = find_matrix_format(path);
  const std::string content = read_content(path);
  if (format == MatrixFormat::kNpz) return only_array(parse_npz<Element>(content, path), path);
  return format == MatrixFormat::kNpy ? parse_npy<Element>(content, path)
                                      : parse_csv<Element>(content, path);
}

template FloatMatrix read_matrix<float>(const std::string& path);
template DoubleMatrix read_matrix<double>(const std::string& path);

void write_matrix(const FloatMatrix& matrix, const std::string& path) {
  switch (find_matrix_format(path)) {
    case MatrixFormat::kNpy:
      return write_npy(matrix, path);
    case MatrixFormat::kNpz:
      return write_npz({{"arr_0", matrix}}, path);
    case MatrixFormat::kCsv:
      return write_csv(matrix, path);
  }
}

FloatMatrix read_npy(const std::string& path) {
  return parse_npy<float>(read_content(path), path);
}

void write_npy(const FloatMatrix& matrix, const std::string& path) {
  expect_matrix(matrix);
  write_file_atomically(path, npy_text(matrix));
}

template <typename Element>
std::vector<NamedMatrix<Element>> read_npz(const std::string& path) {
  return parse_npz<Element>(read_content(path), path);
}

template std::vector<NamedMatrix<float>> read_npz<float>(const std::string& path);
template std::vector<NamedMatrix<double>> read_npz<double>(const std::string& path);

void write_npz(const std::vector<NamedMatrix<float>>& matrices, const std::string& path) {
  for (const NamedMatrix<float>& named : matrices) expect_matrix(named.matrix);
  write_file_atomically(path, npz_text(matrices, path));
}

FloatMatrix read_csv(const std::string& path) {
  return parse_csv<float>(read_content(path), path);
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
