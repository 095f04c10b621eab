// Tests layouts: their text, and offsets compared with the recursion of the thesis.
#include "profiles/layout.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "catch.hpp"

namespace tilewright {
namespace {

using Order = Layout::Order;

const std::vector<std::string> kLayouts = {"R",
                                           "C",
                                           "R 2 4 R",
                                           "C 4 2 C",
                                           "R 4 2 C",
                                           "C 2 4 R",
                                           "R 4 4 R",
                                           "C 4 4 C",
                                           "R 4 4 C",
                                           "R 8 1 C",
                                           "C 1 32 R",
                                           "R 12 1 C",
                                           "C 1 4 C",
                                           "R 1 4 R",
                                           "C 4 1 R",
                                           "R 4 4 R 2 2 R",
                                           "C 8 4 R 2 4 C",
                                           "R 4 8 C 4 1 C 2 1 R",
                                           "R 3 5 C",
                                           "R 1 1 R",
                                           "C 1 1 C",
                                           "R 4 4 R 1 2 C",
                                           "C 16 4 R 8 1 C 8 1 R",
                                           "R 2 2 R 1 1 C",
                                           "R 4 4 C 4 2 R 4 1 R",
                                           "R 16 16 R 4 4 C 2 2 R"};

Layout parse_test_layout(const std::string& text) {
  const auto layout = parse_layout(text);
  INFO(text);
  REQUIRE(layout);
  return *layout;
}

// Index() of the thesis: index of a part in a rectangle of rows x columns parts.
std::int64_t place(Order order, std::int64_t rows, std::int64_t columns, std::int64_t row,
                   std::int64_t column) {
  return order == Order::kRows ? row * columns + column : column * rows + row;
}

// MIndex() of the thesis, with 0 where the printed version has 1 for a single element. `level`
// counts the triplets from the outside; the first one is the matrix itself.
std::int64_t morton_index(const std::vector<Layout::Chunk>& triplets, std::size_t level,
                          std::int64_t row, std::int64_t column) {
  if (level == triplets.size()) return 0;
  const Layout::Chunk& chunk = triplets[level];
  const Layout::Chunk part = level + 1 < triplets.size() ? triplets[level + 1] : Layout::Chunk{};
  return place(chunk.inside, chunk.rows / part.rows, chunk.columns / part.columns, row / part.rows,
               column / part.columns) *
             part.rows * part.columns +
         morton_index(triplets, level + 1, row % part.rows, column % part.columns);
}

std::int64_t thesis_index(const Layout& layout, int rows, int columns, std::int64_t row,
                          std::int64_t column) {
  std::vector<Layout::Chunk> triplets = {{rows, columns, layout.outside()}};
  triplets.insert(triplets.end(), layout.chunks().begin(), layout.chunks().end());
  return morton_index(triplets, 0, row, column);
}

TEST_CASE("a layout is parsed from either form and printed again") {
  for (const std::string& text : kLayouts) {
    const Layout layout = parse_test_layout(text);
    CHECK(to_text(layout) == text);
    CHECK(parse_test_layout(layout_name(layout)) == layout);
  }
  CHECK(parse_test_layout("R8x1C") == Layout(Order::kRows, {{8, 1, Order::kColumns}}));
  CHECK(layout_name(parse_test_layout("R 4 4 R 2 2 C")) == "R4x4R2x2C");
  CHECK(parse_test_layout("R") == Layout::R());
  CHECK(parse_test_layout("C") == Layout::C());
  CHECK(parse_test_layout("R 2147483647 1 C").chunk_rows() == 2147483647);
}

TEST_CASE("text that is not a layout is rejected") {
  for (const char* text : {"",
                           " ",
                           "r",
                           "X",
                           "RR",
                           "R ",
                           " R",
                           "R 4",
                           "R 4 4",
                           "R 4 4 ",
                           "R 4 4 X",
                           "R  4 4 R",
                           "R 4 4 R ",
                           "R 4 4R",
                           "R4 4R",
                           "R 4x4R",
                           "R4x4 R",
                           "R4x4",
                           "R4x",
                           "Rx4R",
                           "R4X4R",
                           "4 4 R",
                           "R 0 4 R",
                           "R 4 0 R",
                           "R -4 4 R",
                           "R +4 4 R",
                           "R 04 4 R",
                           "R 4.0 4 R",
                           "R 0x4 4 R",
                           "R 4 4 R 3 4 R",
                           "R 4 4 R 4 3 R",
                           "R 4 4 R 8 4 R",
                           "R 4 4 R 2 2 R 4 4 R",
                           "R 2147483648 1 R",
                           "R 99999999999999999999 1 R",
                           "R 65536 32768 R",
                           "R\t4 4 R",
                           "R 4 4 R\n"}) {
    INFO("'" << text << "'");
    CHECK_FALSE(parse_layout(text));
  }
  CHECK_FALSE(parse_layout(std::string_view("R\0", 2)));
  CHECK_THROWS_AS(Layout(Order::kRows, {{4, 4, Order::kRows}, {3, 2, Order::kRows}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(Layout(Order::kRows, {{0, 1, Order::kRows}}), std::invalid_argument);
}

TEST_CASE("offsets agree with the recursion of the thesis") {
  for (const std::string& text : kLayouts) {
    const Layout layout = parse_test_layout(text);
    for (const auto& [down, across] : {std::pair{1, 1}, {1, 3}, {3, 1}, {3, 2}, {2, 5}}) {
      const int rows = down * layout.chunk_rows();
      const int columns = across * layout.chunk_columns();
      INFO(text << ", " << rows << " x " << columns);
      const std::int64_t ld = layout.min_ld(rows, columns);
      std::set<std::int64_t> places;
      bool right = true;
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          const std::int64_t index = layout.index(row, column, ld);
          right = right && index == thesis_index(layout, rows, columns, row, column);
          places.insert(index);
        }
      }
      CHECK(right);
      const std::int64_t elements = layout.elements(rows, columns, ld);
      CHECK(elements == static_cast<std::int64_t>(rows) * columns);
      CHECK(static_cast<std::int64_t>(places.size()) == elements);
      CHECK(*places.rbegin() == elements - 1);
    }
  }
}

TEST_CASE("a leading dimension changes only the distance of lines of chunks") {
  for (const std::string& text : kLayouts) {
    INFO(text);
    const Layout layout = parse_test_layout(text);
    const int rows = 3 * layout.chunk_rows();
    const int columns = 2 * layout.chunk_columns();
    const std::int64_t least = layout.min_ld(rows, columns);
    const std::int64_t ld = least + 7;
    std::int64_t last = 0;
    bool right = true;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        const std::int64_t dense = layout.index(row, column, least);
        const std::int64_t index = layout.index(row, column, ld);
        right = right && index == dense + 7 * (dense / least);
        last = std::max(last, index);
      }
    }
    CHECK(right);
    CHECK(layout.elements(rows, columns, ld) == last + 1);
  }
}

TEST_CASE("the offsets of row and column add up to the index") {
  const Layout layout = parse_test_layout("C 16 4 R 8 1 C");
  const Layout::Offset row = layout.row_offset(25);
  const Layout::Offset column = layout.column_offset(6);
  CHECK(row.lines == 0);
  CHECK(column.lines == 1);
  CHECK(layout.index(25, 6, 1000) == 1000 + row.elements + column.elements);
  CHECK(Layout::R().row_offset(5).lines == 5);
  CHECK(Layout::R().column_offset(5).elements == 5);
}

TEST_CASE("offsets of the largest supported extents do not overflow") {
  constexpr std::int64_t kLargeExtent = 2'000'000'000;
  for (const char* text : {"R", "C", "R 8 1 C", "C 1 32 R", "R 4 4 R 2 2 R"}) {
    const Layout layout = parse_test_layout(text);
    const std::int64_t ld = layout.min_ld(kLargeExtent, kLargeExtent);
    CHECK(layout.index(kLargeExtent - 1, kLargeExtent - 1, ld) == kLargeExtent * kLargeExtent - 1);
    CHECK(layout.elements(kLargeExtent, kLargeExtent, ld) == kLargeExtent * kLargeExtent);
  }
}

TEST_CASE("an empty matrix takes no memory") {
  for (const std::string& text : kLayouts) {
    const Layout layout = parse_test_layout(text);
    CHECK(layout.elements(0, layout.chunk_columns(), 100) == 0);
    CHECK(layout.elements(layout.chunk_rows(), 0, 100) == 0);
  }
}

// True if every aligned run of `length` elements along a row is contiguous.
bool runs_along_row(const Layout& layout, int rows, int columns, int length) {
  const std::int64_t ld = layout.min_ld(rows, columns) + 5;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column + 1 < columns; ++column) {
      if ((column + 1) % length == 0) continue;
      if (layout.index(row, column + 1, ld) != layout.index(row, column, ld) + 1) return false;
    }
  }
  return true;
}

bool runs_down_column(const Layout& layout, int rows, int columns, int length) {
  const std::int64_t ld = layout.min_ld(rows, columns) + 5;
  for (int column = 0; column < columns; ++column) {
    for (int row = 0; row + 1 < rows; ++row) {
      if ((row + 1) % length == 0) continue;
      if (layout.index(row + 1, column, ld) != layout.index(row, column, ld) + 1) return false;
    }
  }
  return true;
}

TEST_CASE("runs are exactly as long as the offsets show") {
  for (const std::string& text : kLayouts) {
    INFO(text);
    const Layout layout = parse_test_layout(text);
    const int rows = 4 * layout.chunk_rows();
    const int columns = 4 * layout.chunk_columns();
    const int along = std::min(layout.run_along_row(), columns);
    const int down = std::min(layout.run_down_column(), rows);
    CHECK(runs_along_row(layout, rows, columns, along));
    CHECK(runs_down_column(layout, rows, columns, down));
    // Runs of twice the length are not contiguous, unless the whole line is.
    CHECK((along == columns || !runs_along_row(layout, rows, columns, 2 * along)));
    CHECK((down == rows || !runs_down_column(layout, rows, columns, 2 * down)));
  }
  CHECK(parse_test_layout("R").run_along_row() == Layout::kEndless);
  CHECK(parse_test_layout("R").run_down_column() == 1);
  CHECK(parse_test_layout("C").run_down_column() == Layout::kEndless);
  CHECK(parse_test_layout("R 8 1 C").run_down_column() == 8);
  CHECK(parse_test_layout("C 1 32 R").run_along_row() == 32);
  CHECK(parse_test_layout("R 2 4 R").run_along_row() == 4);
  CHECK(parse_test_layout("R 4 4 R 1 2 C").run_along_row() == 4);
}

}  // namespace
}  // namespace tilewright
