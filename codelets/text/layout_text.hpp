// OpenCL C text of the offset of a matrix element in memory.
//
// Internal to codelets. The offset is the sum of a part that depends on the row and a part that
// depends on the column (profiles/layout.hpp). These functions return the text of one part. For the
// layout R 8 1 C the row part is "(size_t)(row / 8) * ld + row % 8" and the column part is
// "(size_t)col * 8".
#pragma once

#include <optional>
#include <string>

#include "profiles/layout.hpp"

namespace tilewright {

// The row (column) part of the offset, in elements: the text of Layout::row_offset (column_offset).
// `row`, `column` and `ld` are arbitrary expressions with non-negative int values. The result is a
// sum: it can be a term of a sum, but needs parentheses in a product.
std::string row_offset_text(const Layout&, const std::string& row, const std::string& ld);
std::string column_offset_text(const Layout&, const std::string& column, const std::string& ld);

// Offset of row `row + i` minus offset of row `row` (likewise for columns), if it is the same for
// all rows that are multiples of `multiple`; otherwise nullopt. With it, the addresses in a tile
// need no divisions once the address of its first element is known.
std::optional<Layout::Offset> row_step(const Layout&, int multiple, int i);
std::optional<Layout::Offset> column_step(const Layout&, int multiple, int i);

// Text of such a difference, e.g. "2 * ld + 3". It is a sum, and "" for zero.
std::string distance_text(const Layout::Offset&, const std::string& ld);

}  // namespace tilewright
