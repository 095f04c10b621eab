// Layouts: how the elements of a matrix are arranged in memory.
//
// This is the hybrid Morton grammar of the thesis on neural networks on low-power GPUs (section
// 8.2). A layout is written from the outside in. Each chunk is a rectangle whose parts are ordered
// row by row (`R`) or column by column (`C`).
//
//   R          plain row-major          R 2 4 R    chunks of 2 rows x 4 columns, row-major inside,
//   C          plain column-major                  chunks row-major outside
//   R 8 1 C    panels of 8 rows, stored column by column (packed A of CPU libraries)
//   C 1 32 R   panels of 32 columns, stored row by row (packed B)
//   R 4 4 R 2 2 R   chunks of 2 x 2 in chunks of 4 x 4: two levels of Z-Morton
//
// The offset of an element is the sum of a part that depends on its row and a part that depends on
// its column; the generators rely on this. A matrix also has a leading dimension. For plain layouts
// it is that of BLAS; for others it is the distance in elements between two neighbouring rows (`R`
// outside) or columns (`C` outside) of outermost chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// A layout: the outer order and the levels of chunks. Immutable value.
class Layout {
 public:
  enum class Order { kRows, kColumns };  // row by row (R), column by column (C)

  // One level of chunks: its extents, and the order of the parts inside it.
  struct Chunk {
    int rows = 1;
    int columns = 1;
    Order inside = Order::kRows;
    auto operator<=>(const Chunk&) const = default;
  };

  // Plain row-major.
  Layout() = default;
  // Chunks from the outermost to the innermost. Throws std::invalid_argument unless extents are
  // positive and each chunk divides its parent.
  explicit Layout(Order outside, std::vector<Chunk> chunks = {});

  static Layout R() { return Layout(); }
  static Layout C() { return Layout(Order::kColumns); }

  Order outside() const { return outside_; }
  const std::vector<Chunk>& chunks() const { return chunks_; }
  bool is_plain() const { return chunks_.empty(); }

  // Extents of the outermost chunk (1 x 1 for plain layouts). A matrix in this layout is padded to
  // multiples of them.
  int chunk_rows() const { return is_plain() ? 1 : chunks_.front().rows; }
  int chunk_columns() const { return is_plain() ? 1 : chunks_.front().columns; }

  // The part of an element's offset that depends on its row or column: lines * ld + elements.
  struct Offset {
    std::int64_t lines = 0;
    std::int64_t elements = 0;
  };
  // Rows and columns must not be negative.
  Offset row_offset(std::int64_t row) const;
  Offset column_offset(std::int64_t column) const;

  // Offset of an element relative to element (0, 0), in elements.
  std::int64_t index(std::int64_t row, std::int64_t column, std::int64_t ld) const;
  // Minimum leading dimension, and number of elements in memory, of a matrix whose extents are
  // multiples of the outermost chunk's.
  std::int64_t min_ld(std::int64_t rows, std::int64_t columns) const;
  std::int64_t elements(std::int64_t rows, std::int64_t columns, std::int64_t ld) const;

  // Number of neighbours along a row (down a column) that are contiguous in memory. Runs start at
  // multiples of their length. kEndless if whole rows (columns) are contiguous, as in plain
  // layouts.
  static constexpr int kEndless = 1 << 30;
  int run_along_row() const;
  int run_down_column() const;

  auto operator<=>(const Layout&) const = default;

 private:
  Offset offset(std::int64_t at, Order own, int Chunk::*extent, int Chunk::*across) const;

  Order outside_ = Order::kRows;
  std::vector<Chunk> chunks_;
};

// "R 8 1 C", the form in profiles, and "R8x1C", the form in names and points.
std::string to_text(const Layout&);
std::string layout_name(const Layout&);
// Parses either form; nullopt if the text is not a layout.
std::optional<Layout> parse_layout(std::string_view);

}  // namespace tilewright
