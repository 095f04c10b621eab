// Parts that are common to the two kinds of pack kernels.
//
// Internal to codelets. pack_codelet.cpp copies tiles through registers, pack_local.cpp through
// local memory.
#pragma once

#include "codelets/pack/pack_side.hpp"
#include "codelets/text/kernel_text.hpp"

namespace tilewright {

// Writes the body of a kernel that copies through local memory; local_names() explains its
// variables.
void write_local_body(SourceText&, const PackPoint&);
std::vector<Meaning> local_names();

// Text of the source's element at (row, column), or zero outside the matrix. `row` and `column` are
// expressions.
std::string element_or_zero(const PackPoint&, const std::string& row, const std::string& column);
// Text of a store to the destination's element at (row, column).
std::string store_element(const PackPoint&, const std::string& row, const std::string& column,
                          const std::string& value);
// Text of a store to the pixel whose first element is at (row, column).
std::string store_pixel(const PackPoint&, const std::string& row, const std::string& column,
                        const std::string& value);

// Dimension (0 or 1) of the global and group id that counts rows (dimension_m) or columns
// (dimension_n).
inline int dimension_m(const PackPoint& p) {
  return p.id_order == IdOrder::kNM ? 1 : 0;
}
inline int dimension_n(const PackPoint& p) {
  return 1 - dimension_m(p);
}

}  // namespace tilewright
