// Tests that each layout has exactly one spelling, and each element of a matrix its own index.
#include <cstdint>
#include <string_view>
#include <vector>

#include "profiles/layout.hpp"
#include "property.hpp"

namespace tilewright {
namespace {

// Checks that the elements of 2 x 2 outermost chunks have different indices below elements().
void expect_places(const Layout& layout) {
  const std::int64_t rows = 2 * std::int64_t{layout.chunk_rows()};
  const std::int64_t columns = 2 * std::int64_t{layout.chunk_columns()};
  const std::int64_t ld = layout.min_ld(rows, columns);
  const std::int64_t count = layout.elements(rows, columns, ld);
  expect(count == rows * columns, "without gaps there is room for the elements alone");
  constexpr std::int64_t kMaxElements = 4096;
  if (count > kMaxElements) {
    const std::int64_t last = layout.index(rows - 1, columns - 1, ld);
    expect(last >= 0 && last < count, "the last element is inside");
    return;
  }
  std::vector<bool> taken(static_cast<std::size_t>(count), false);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t at = layout.index(row, column, ld);
      expect(at >= 0 && at < count, "an element is inside");
      expect(!taken[static_cast<std::size_t>(at)], "no two elements have the same place");
      taken[static_cast<std::size_t>(at)] = true;
    }
  }
}

void expect_runs(const Layout& layout) {
  const std::int64_t ld = layout.min_ld(layout.chunk_rows(), layout.chunk_columns());
  const int along = layout.run_along_row();
  const int down = layout.run_down_column();
  expect(along >= 1 && down >= 1, "a run has an element");
  if (along > 1 && layout.chunk_columns() > 1) {
    expect(layout.index(0, 1, ld) == 1, "the second element of a run along a row is next");
  }
  if (down > 1 && layout.chunk_rows() > 1) {
    expect(layout.index(1, 0, ld) == 1, "the second element of a run down a column is next");
  }
}

void parse(std::string_view text) {
  const auto layout = parse_layout(text);
  if (!layout) return;
  expect(text == to_text(*layout) || text == layout_name(*layout), "a layout has two spellings");
  expect(parse_layout(to_text(*layout)) == layout, "a layout is written and read as it is");
  expect(parse_layout(layout_name(*layout)) == layout, "a layout's name is read as it is");
  expect_places(*layout);
  expect_runs(*layout);
}

}  // namespace
}  // namespace tilewright

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tilewright::parse({reinterpret_cast<const char*>(data), size});
  return 0;
}
