// How do the elements of a matrix lie in memory?
//
// The hybrid Morton grammar of the low-power neural network thesis (section 8.2): a layout is
// written from the outside in, and each chunk is a rectangle whose parts are ordered row by row
// (`R`) or column by column (`C`).
//
//   R          plain row-major          R 2 4 R    chunks of 2 rows x 4 columns, row-major inside,
//   C          plain column-major                  chunks row-major outside
//   R 8 1 C    panels of 8 rows, along which the columns run (packed A of the CPU libraries)
//   C 1 32 R   panels of 32 columns, along which the rows run (packed B)
//   R 4 4 R 2 2 R   chunks of 2 x 2 in chunks of 4 x 4: two levels of Z-Morton
//
// Where an element lies is a sum of a part that depends on its row and one that depends on its
// column; the generators rest on that. A matrix also has a leading dimension, which for plain
// layouts is that of BLAS and for others its generalisation: the distance in elements between two
// neighbouring rows (`R` outside) or columns (`C` outside) of outermost chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

class Layout {
 public:
  enum class Order { kRows, kColumns };  // R, C

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

  // Extents of the outermost chunk, 1 x 1 for plain layouts: a matrix in this layout is padded to
  // multiples of them.
  int chunk_rows() const { return is_plain() ? 1 : chunks_.front().rows; }
  int chunk_columns() const { return is_plain() ? 1 : chunks_.front().columns; }

  // The part of an element's place that comes from its row or its column:
  // lines * ld + elements.
  struct Offset {
    std::int64_t lines = 0;
    std::int64_t elements = 0;
  };
  Offset row_offset(std::int64_t row) const;
  Offset column_offset(std::int64_t column) const;

  // Place of an element, counted in elements from that of (0, 0).
  std::int64_t index(std::int64_t row, std::int64_t column, std::int64_t ld) const;
  // The least leading dimension, and the least number of elements in memory, of a matrix whose
  // extents are multiples of the outermost chunk's.
  std::int64_t least_ld(std::int64_t rows, std::int64_t columns) const;
  std::int64_t elements(std::int64_t rows, std::int64_t columns, std::int64_t ld) const;

  // How many neighbours along a row (down a column) lie side by side in memory, in runs that begin
  // at multiples of their length; kEndless where whole rows (columns) do, as in plain layouts.
  static constexpr int kEndless = 1 << 30;
  int run_along_row() const;
  int run_down_column() const;

  auto operator<=>(const Layout&) const = default;

 private:
  Offset offset(std::int64_t at, Order own, int Chunk::*extent, int Chunk::*across) const;

  Order outside_ = Order::kRows;
  std::vector<Chunk> chunks_;
};

// "R 8 1 C", the form of profiles; and without blanks, "R8x1C", the form of names and points.
std::string to_text(const Layout&);
std::string layout_name(const Layout&);
// Reads either form; nullopt if it is no layout.
std::optional<Layout> parse_layout(std::string_view);

}  // namespace tilewright
