#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "half_bits.hpp"
#include "matrix/matrix_text.hpp"
#include "matrix/npy_header.hpp"

namespace tilewright {
namespace {

// Reads a little-endian element.
template <typename T>
T little_endian_value(const char* bytes) {
  unsigned char ordered[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    const std::size_t from = std::endian::native == std::endian::little ? i : sizeof(T) - 1 - i;
    ordered[i] = static_cast<unsigned char>(bytes[from]);
  }
  T value;
  std::memcpy(&value, ordered, sizeof(T));
  return value;
}

// Appends the elements in `data` to `values`, in the order of the file.
template <typename Element>
using Append = void (*)(std::string_view data, std::vector<Element>& values);

template <typename T, typename Element>
void append_as(std::string_view data, std::vector<Element>& values) {
  for (std::size_t at = 0; at < data.size(); at += sizeof(T)) {
    values.push_back(static_cast<Element>(little_endian_value<T>(data.data() + at)));
  }
}

template <typename Element>
void append_bools(std::string_view data, std::vector<Element>& values) {
  for (const char byte : data) values.push_back(static_cast<Element>(byte != 0 ? 1 : 0));
}

template <typename Element>
Append<Element> append_for(const NpyHeader& header) {
  const std::size_t bytes = header.element_bytes;
  switch (header.kind) {
    case 'f':
      return bytes == 2   ? append_as<HalfBits, Element>
             : bytes == 4 ? append_as<float, Element>
                          : append_as<double, Element>;
    case 'i':
      return bytes == 1   ? append_as<std::int8_t, Element>
             : bytes == 2 ? append_as<std::int16_t, Element>
             : bytes == 4 ? append_as<std::int32_t, Element>
                          : append_as<std::int64_t, Element>;
    case 'u':
      return bytes == 1   ? append_as<std::uint8_t, Element>
             : bytes == 2 ? append_as<std::uint16_t, Element>
             : bytes == 4 ? append_as<std::uint32_t, Element>
                          : append_as<std::uint64_t, Element>;
    default:
      return append_bools<Element>;
  }
}

// Returns rows * columns; nullopt if it exceeds `most`.
std::optional<std::uint64_t> product_up_to(std::uint64_t rows, std::uint64_t columns,
                                           std::uint64_t most) {
  if (rows != 0 && columns > most / rows) return std::nullopt;
  return rows * columns;
}

constexpr std::uint64_t kMaxNpyExtent = std::numeric_limits<std::int64_t>::max();

// Returns the number of elements of one sample: the product of all extents except the first; for a
// one-dimensional array, its extent. Returns nullopt if it is too large.
std::optional<std::uint64_t> sample_elements(const std::vector<std::uint64_t>& shape) {
  std::uint64_t elements = 1;
  for (std::size_t i = shape.size() == 1 ? 0 : 1; i < shape.size(); ++i) {
    const auto product = product_up_to(elements, shape[i], kMaxNpyExtent);
    if (!product) return std::nullopt;
    elements = *product;
  }
  return elements;
}

// Returns for each element of a sample in C order (the last index varies fastest) its position in
// Fortran order (the first index varies fastest).
std::vector<std::size_t> fortran_places(const std::vector<std::uint64_t>& shape,
                                        std::size_t elements) {
  std::vector<std::size_t> places(elements, 0);
  std::size_t fortran_stride = 1;
  std::size_t c_stride = elements;
  for (std::size_t i = 1; i < shape.size(); ++i) {
    const auto extent = static_cast<std::size_t>(shape[i]);
    c_stride /= extent;
    for (std::size_t c = 0; c < elements; ++c) places[c] += c / c_stride % extent * fortran_stride;
    fortran_stride *= extent;
  }
  return places;
}

// Converts an array in Fortran order. `matrix.values` are in the order of the file.
template <typename Element>
HostMatrix<Element> from_fortran_order(HostMatrix<Element> matrix,
                                       const std::vector<std::uint64_t>& shape) {
  // Interpreted as row-major, the array is the transpose of the matrix.
  std::swap(matrix.rows, matrix.columns);
  HostMatrix<Element> result = transposed(matrix);
  if (shape.size() == 2 || result.values.empty()) return result;
  const auto columns = static_cast<std::size_t>(result.columns);
  const std::vector<std::size_t> places = fortran_places(shape, columns);
  const std::vector<Element> values = result.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.values[i] = values[i - i % columns + places[i % columns]];
  }
  return result;
}

}  // namespace

template <typename Element>
HostMatrix<Element> parse_npy(std::string_view content, const std::string& file) {
  const NpyHeader header = parse_npy_header(content, file);
  const std::uint64_t rows = header.shape.size() == 1 ? 1 : header.shape[0];
  const std::optional<std::uint64_t> sample = sample_elements(header.shape);
  const std::uint64_t columns = sample.value_or(kMaxNpyExtent);
  const std::string_view data = content.substr(header.data_offset);
  const auto count = product_up_to(rows, columns, data.size() / header.element_bytes);
  if (!count || !sample || rows > kMaxNpyExtent) {
    throw MatrixFileError(
        file,
        fmt::format(
            "is truncated: its .npy header promises {} x {} elements of {} bytes, but {} bytes "
            "follow",
            rows, columns, header.element_bytes, data.size()));
  }
  if (data.size() != *count * header.element_bytes) {
    throw MatrixFileError(
        file, fmt::format("has {} bytes after the {} x {} elements of {} bytes that its .npy "
                          "header promises",
                          data.size() - *count * header.element_bytes, rows, columns,
                          header.element_bytes));
  }
  HostMatrix<Element> matrix{
      static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), {}};
  matrix.is_one_dimensional = header.shape.size() == 1;
  matrix.values.reserve(*count);
  append_for<Element>(header)(data, matrix.values);
  if (!header.fortran_order || matrix.is_one_dimensional) return matrix;
  return from_fortran_order(std::move(matrix), header.shape);
}

template FloatMatrix parse_npy<float>(std::string_view content, const std::string& file);
template DoubleMatrix parse_npy<double>(std::string_view content, const std::string& file);

std::string npy_text(const FloatMatrix& matrix) {
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", matrix.rows,
                  matrix.columns);
  // Elements start at a multiple of 64 bytes, after a line break.
  const std::size_t preamble = 10;
  const std::size_t begin = (preamble + header.size() + 1 + 63) / 64 * 64;
  header.append(begin - preamble - header.size() - 1, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xff);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  text.reserve(text.size() + matrix.values.size() * sizeof(float));
  for (const float value : matrix.values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(bits >> shift & 0xff);
  }
  return text;
}

}  // namespace tilewright
