#include "codelets/text/layout_text.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

std::string row_text(const char* layout) {
  return row_offset_text(*parse_layout(layout), "row", "ld");
}

std::string column_text(const char* layout) {
  return column_offset_text(*parse_layout(layout), "col", "ld");
}

TEST_CASE("the text of plain layouts is that of BLAS") {
  CHECK(row_text("R") == "(size_t)row * ld");
  CHECK(column_text("R") == "col");
  CHECK(row_text("C") == "row");
  CHECK(column_text("C") == "(size_t)col * ld");
  CHECK(row_offset_text(Layout::R(), "row + 1", "ld") == "(size_t)(row + 1) * ld");
}

TEST_CASE("chunks divide rows and columns into digits") {
  CHECK(row_text("R 8 1 C") == "(size_t)(row / 8) * ld + row % 8");
  CHECK(column_text("R 8 1 C") == "(size_t)col * 8");
  CHECK(row_text("C 1 32 R") == "(size_t)row * 32");
  CHECK(column_text("C 1 32 R") == "(size_t)(col / 32) * ld + col % 32");
  CHECK(row_text("R 2 4 R") == "(size_t)(row / 2) * ld + (row % 2) * 4");
  CHECK(column_text("R 2 4 R") == "(size_t)(col / 4) * 8 + col % 4");
  CHECK(column_text("R 4 4 R 2 2 R") == "(size_t)(col / 4) * 16 + (col % 4 / 2) * 4 + col % 2");
  CHECK(column_offset_text(*parse_layout("R 8 1 C"), "col + 1", "ld") == "(size_t)(col + 1) * 8");
}

TEST_CASE("consecutive digits are merged") {
  CHECK(column_text("R 1 4 R") == "col");
  CHECK(row_text("R 1 4 R") == "(size_t)row * ld");
  CHECK(row_text("C 8 4 C 2 4 C") == "(size_t)(row / 2) * 8 + row % 2");
  CHECK(column_text("R 8 4 R 2 4 C") == "(size_t)(col / 4) * 32 + (col % 4) * 2");
}

TEST_CASE("distances within a tile are constant if tile and chunks match") {
  const Layout panels = *parse_layout("R 8 1 C");
  CHECK(distance_text(*row_step(panels, 4, 3), "ld") == "3");
  CHECK(distance_text(*row_step(panels, 8, 9), "ld") == "(size_t)ld + 1");
  CHECK(distance_text(*column_step(panels, 1, 2), "ld") == "16");
  CHECK(distance_text(*row_step(Layout::R(), 1, 2), "ld") == "(size_t)2 * ld");
  CHECK(distance_text(*row_step(Layout::R(), 4, 0), "ld").empty());
  // Row 3 of a tile may be in the next panel.
  CHECK_FALSE(row_step(panels, 3, 2));
}

}  // namespace
}  // namespace tilewright
