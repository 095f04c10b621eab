/// @file
/// Reads matrices from files and writes them to files.
///
///     tilewright::FloatMatrix x = tilewright::read_matrix("digits.npy");
///     tilewright::write_matrix(y, "probabilities.csv");
///
/// Formats: NumPy's .npy (versions 1.0 and 2.0) and .npz, and CSV (docs/models.md). Files are
/// written atomically. Memory use is bounded by the size of the file, not by what its header
/// claims. Uses no OpenCL. Thread-safe: the functions have no state besides the files.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilewright {

/// A matrix in host memory.
template <typename Element>
struct HostMatrix {
  std::int64_t rows = 0;        ///< 0 or more
  std::int64_t columns = 0;     ///< 0 or more
  std::vector<Element> values;  ///< rows x columns, row-major
  /// Set if the matrix was read from a one-dimensional array. Its elements form one row, unless the
  /// caller interprets it differently. Comparisons and writing ignore this flag.
  bool is_one_dimensional = false;
  /// The names in the first line of a CSV file, one for each column; empty: it has none.
  /// Comparisons and writing ignore them.
  std::vector<std::string> column_names = {};
};

/// A matrix of float elements. All networks run on these.
using FloatMatrix = HostMatrix<float>;

/// A matrix of double elements, which keeps all digits of a file: for values such as Unix times.
using DoubleMatrix = HostMatrix<double>;

/// @param a  a matrix
/// @param b  another one
/// @return whether they have the same shape and equal elements; NaN is not equal to anything
template <typename Element>
bool operator==(const HostMatrix<Element>& a, const HostMatrix<Element>& b) {
  return a.rows == b.rows && a.columns == b.columns && a.values == b.values;
}

/// Thrown for a matrix file that cannot be read, and for a matrix that the format cannot represent.
/// what() is "'FILE': REASON"; for CSV it also contains the line.
class MatrixFileError : public std::runtime_error {
 public:
  /// @param file  path of the file
  /// @param reason  the error, without the file
  MatrixFileError(const std::string& file, const std::string& reason);
  /// @return the path of the file
  const std::string& file() const { return file_; }
  /// @return the error, without the file
  const std::string& reason() const { return reason_; }

 private:
  std::string file_;
  std::string reason_;
};

/// A matrix of a .npz file.
template <typename Element>
struct NamedMatrix {
  std::string name;            ///< without the extension .npy
  HostMatrix<Element> matrix;  ///< see read_npy()
};

/// Checks that the extension denotes a supported format. For programs that write a matrix only
/// after a long computation.
/// @param path  path of a file, which need not exist
/// @throws MatrixFileError unless the path ends with .npy, .npz or .csv (in any case)
void check_matrix_extension(const std::string& path);

/// Reads a matrix in the format that the extension denotes.
/// @tparam Element  float or double: elements are rounded to the nearest one
/// @param path  ends with .npy, .npz or .csv (in any case)
/// @return see read_npy(), read_npz() and read_csv(); a .npz file must hold a single array
/// @throws MatrixFileError
template <typename Element = float>
HostMatrix<Element> read_matrix(const std::string& path);

/// Writes a matrix in the format that the extension denotes.
/// @param matrix  see write_npy() and write_csv()
/// @param path  ends with .npy, .npz (one array with the name arr_0) or .csv (in any case)
/// @throws MatrixFileError, std::invalid_argument, std::system_error
void write_matrix(const FloatMatrix& matrix, const std::string& path);

/// Reads a NumPy array: in C or Fortran order, little-endian, with elements of type float16,
/// float32, float64, bool, or integers of 8 to 64 bits. Elements are rounded to the nearest float.
/// @param path  path of a .npy file with any extension
/// @return the matrix. A one-dimensional array of n elements becomes one row, with
///     `is_one_dimensional` set. An array of shape (samples, ...) becomes one row for each sample,
///     with its elements in C order
/// @throws MatrixFileError
FloatMatrix read_npy(const std::string& path);

/// Writes a file atomically in format version 1.0: float32, C order, two dimensions.
/// @param matrix  the number of values must be rows x columns
/// @param path  path of the file that is made or replaced
/// @throws std::invalid_argument if the number of values is wrong, std::system_error if the file
///     cannot be written
void write_npy(const FloatMatrix& matrix, const std::string& path);

/// Reads the arrays of a .npz file, as numpy.savez writes it. Compressed files
/// (numpy.savez_compressed) are refused.
/// @tparam Element  float or double: elements are rounded to the nearest one
/// @param path  path of a .npz file with any extension
/// @return the arrays in the order of the file, each as read_npy() reads it
/// @throws MatrixFileError
template <typename Element = float>
std::vector<NamedMatrix<Element>> read_npz(const std::string& path);

/// Writes a file atomically, without compression, that numpy.load reads.
/// @param matrices  with different names that are not empty; each as for write_npy()
/// @param path  path of the file that is made or replaced
/// @throws std::invalid_argument if a number of values is wrong; MatrixFileError if a name is
///     empty, occurs twice or is longer than 65000 bytes, or if the file would exceed 4 GB;
///     std::system_error if the file cannot be written
void write_npz(const std::vector<NamedMatrix<float>>& matrices, const std::string& path);

/// Reads a text file with one row per line. Numbers are separated by commas, semicolons, spaces or
/// tabs. Empty lines, lines that begin with '#' and a byte-order mark are skipped. A first line of
/// column names is stored in `column_names`. Missing values (NA) and numbers in quotes are no
/// names.
/// @param path  path of a text file with any extension
/// @return the matrix, with at least one element
/// @throws MatrixFileError, which names the line
FloatMatrix read_csv(const std::string& path);

/// Writes a file atomically, with one line per row and commas between numbers. Each number has as
/// few digits as read_csv() needs to return the same float.
/// @param matrix  the number of values must be rows x columns, and at least 1
/// @param path  path of the file that is made or replaced
/// @throws MatrixFileError if the matrix is empty, std::invalid_argument if the number of values is
///     wrong, std::system_error if the file cannot be written
void write_csv(const FloatMatrix& matrix, const std::string& path);

}  // namespace tilewright
