// Tests that the readers of .npy, .npz and CSV files handle any bytes.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "matrix/matrix_text.hpp"
#include "property.hpp"

namespace tilewright {
namespace {

// CSV does not distinguish between kinds of NaN.
bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

void expect_same(const FloatMatrix& a, const FloatMatrix& b) {
  expect(a.rows == b.rows && a.columns == b.columns, "a matrix keeps its shape");
  expect(a.values.size() == b.values.size(), "a matrix keeps its size");
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    expect(same(a.values[i], b.values[i]), "a matrix keeps its elements");
  }
}

void expect_right(const FloatMatrix& matrix, std::size_t file_bytes) {
  expect(matrix.rows >= 0 && matrix.columns >= 0, "no extent is below 0");
  expect(matrix.values.size() <= file_bytes, "an element takes a byte of the file at least");
  if (matrix.values.empty()) {
    expect(matrix.rows == 0 || matrix.columns == 0, "a matrix has all its elements");
  } else {
    expect(matrix.values.size() / static_cast<std::uint64_t>(matrix.rows) ==
               static_cast<std::uint64_t>(matrix.columns),
           "a matrix has all its elements");
    expect_same(parse_csv<float>(csv_text(matrix), "again"), matrix);
  }
  expect_same(parse_npy<float>(npy_text(matrix), "again"), matrix);
}

template <class Parse>
void parse_with(const Parse& parse, std::string_view content) {
  try {
    expect_right(parse(content, "fuzz"), content.size());
  } catch (const MatrixFileError&) {
  }
}

}  // namespace
}  // namespace tilewright

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content{reinterpret_cast<const char*>(data), size};
  tilewright::parse_with(tilewright::parse_npy<float>, content);
  tilewright::parse_with(tilewright::parse_csv<float>, content);
  try {
    for (const auto& named : tilewright::parse_npz<float>(content, "fuzz")) {
      tilewright::expect_right(named.matrix, size);
    }
  } catch (const tilewright::MatrixFileError&) {
  }
  return 0;
}
