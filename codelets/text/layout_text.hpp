// Which OpenCL C text says where an element of a matrix lies?
//
// Internal to codelets. The place of an element is a sum of a part that comes from its row and one
// that comes from its column (profiles/layout.hpp); here is the text of either part, e.g. for R 8 1
// C "(size_t)(row / 8) * ld + row % 8" and "(size_t)col * 8".
#pragma once

#include <optional>
#include <string>

#include "profiles/layout.hpp"

namespace tilewright {

// The part of the place, in elements, that comes from the row (column): Layout::row_offset
// (column_offset) as text. `row`, `column` and `ld` are texts of non-negative ints: names or any
// expressions. The result is a sum: it can stand in sums, and in products after parentheses.
std::string row_offset_text(const Layout&, const std::string& row, const std::string& ld);
std::string column_offset_text(const Layout&, const std::string& column, const std::string& ld);

// How far row `row + i` lies behind row `row` (likewise columns) if that is the same for all rows
// that are multiples of `multiple`: a tile whose place is known then needs no divisions for the
// places of its elements. nullopt if it is not the same.
std::optional<Layout::Offset> row_step(const Layout&, int multiple, int i);
std::optional<Layout::Offset> column_step(const Layout&, int multiple, int i);

// Text of such a distance, "2 * ld + 3": a sum, and "" if it is nothing.
std::string distance_text(const Layout::Offset&, const std::string& ld);

}  // namespace tilewright
