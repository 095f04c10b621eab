/// @file
/// How does a matrix come from a file, and go into one?
///
///     tilewright::FloatMatrix x = tilewright::read_matrix("digits.npy");
///     tilewright::write_matrix(y, "probabilities.csv");
///
/// Formats: NumPy's .npy (versions 1.0 and 2.0) and CSV (docs/models.md). A file is written whole
/// or not at all. Nothing is allocated that the size of the file does not justify, whatever its
/// header claims. No OpenCL. Thread safety: functions of their arguments and of the files.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilewright {

/// A matrix on the host.
struct FloatMatrix {
  std::int64_t rows = 0;      ///< 0 or more
  std::int64_t columns = 0;   ///< 0 or more
  std::vector<float> values;  ///< rows x columns, row-major
  /// Read from an array of one dimension. Its elements are one row, unless the caller knows better.
  /// Comparisons and writing ignore it.
  bool is_one_dimensional = false;
};

/// @param a  a matrix
/// @param b  another one
/// @return whether they have the same shape and the same elements; a NaN equals nothing
inline bool operator==(const FloatMatrix& a, const FloatMatrix& b) {
  return a.rows == b.rows && a.columns == b.columns && a.values == b.values;
}

/// A matrix file that cannot be read, or a matrix that the format cannot hold. what() is
/// "'file': reason", with the line for CSV.
class MatrixFileError : public std::runtime_error {
 public:
  /// @param file  its path
  /// @param reason  what is wrong, without the file
  MatrixFileError(const std::string& file, const std::string& reason);
  /// @return the path of the file
  const std::string& file() const { return file_; }
  /// @return what is wrong, without the file
  const std::string& reason() const { return reason_; }

 private:
  std::string file_;
  std::string reason_;
};

/// Is the extension one of a format? For programs that write a matrix after long work.
/// @param path  of a file, which need not be there
/// @throws MatrixFileError unless it ends in .npy or .csv, in small or capital letters
void check_matrix_extension(const std::string& path);

/// Reads a matrix in the format that the extension names.
/// @param path  ends in .npy or .csv, in small or capital letters
/// @return as read_npy() or read_csv()
/// @throws MatrixFileError
FloatMatrix read_matrix(const std::string& path);

/// Writes a matrix in the format that the extension names.
/// @param matrix  as for write_npy() or write_csv()
/// @param path  ends in .npy or .csv, in small or capital letters
/// @throws MatrixFileError, std::invalid_argument, std::system_error
void write_matrix(const FloatMatrix& matrix, const std::string& path);

/// Reads an array of NumPy: in C or Fortran order, little-endian, of float16, float32, float64,
/// bool or integers of 8 to 64 bits. Each element becomes the nearest float.
/// @param path  of a .npy file, whatever its extension
/// @return the matrix; an array of n elements in one dimension is one row, with
///     `is_one_dimensional` set, and one of shape (samples, ...) has a row for each sample, with
///     its elements in C order
/// @throws MatrixFileError
FloatMatrix read_npy(const std::string& path);

/// Writes format version 1.0, float32, C order, two dimensions; atomically.
/// @param matrix  rows x columns must be the number of its values
/// @param path  of the file that is made or replaced
/// @throws std::invalid_argument if the matrix is none, std::system_error if the file cannot be
///     written
void write_npy(const FloatMatrix& matrix, const std::string& path);

/// Reads text with a row in each line. Numbers are separated by a comma, a semicolon, or by spaces
/// or tabs. Empty lines, lines that begin with '#', a byte-order mark and a first line of column
/// names are skipped.
/// @param path  of a text file, whatever its extension
/// @return the matrix, which has at least one element
/// @throws MatrixFileError that names the line
FloatMatrix read_csv(const std::string& path);

/// Writes each row as a line, with commas, and each number in as few digits as read_csv() needs to
/// give the same float; atomically.
/// @param matrix  rows x columns must be the number of its values, and at least 1
/// @param path  of the file that is made or replaced
/// @throws MatrixFileError if the matrix is empty, std::invalid_argument if it is none,
///     std::system_error if the file cannot be written
void write_csv(const FloatMatrix& matrix, const std::string& path);

}  // namespace tilewright
