// What do the two ways of packing have in common?
//
// Internal to codelets: pack_codelet.cpp moves tiles through registers, pack_local.cpp through
// local memory.
#pragma once

#include "codelets/pack/pack_side.hpp"
#include "codelets/text/kernel_text.hpp"

namespace tilewright {

// The body of a kernel that goes through local memory.
void write_local_body(SourceText&, const PackPoint&);
std::vector<Meaning> local_names();

// The source's element at (row, column), two texts, or zero beyond its edges.
std::string element_or_zero(const PackPoint&, const std::string& row, const std::string& column);
// Stores the destination's element at (row, column).
std::string store_element(const PackPoint&, const std::string& row, const std::string& column,
                          const std::string& value);
// Stores the pixel whose first element is at (row, column).
std::string store_pixel(const PackPoint&, const std::string& row, const std::string& column,
                        const std::string& value);

// Which global or group id runs along rows and columns.
inline int dimension_m(const PackPoint& p) {
  return p.id_order == IdOrder::kNM ? 1 : 0;
}
inline int dimension_n(const PackPoint& p) {
  return 1 - dimension_m(p);
}

}  // namespace tilewright
