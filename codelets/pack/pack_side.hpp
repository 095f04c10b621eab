// How does a pack kernel reach its source and its destination?
//
// Internal to codelets; shared by the emitters and the rules of pack.
#pragma once

#include <string>

#include "codelets/point/pack_point.hpp"
#include "codelets/text/layout_text.hpp"

namespace tilewright {

// Floats in a pixel of an image.
inline constexpr int kPixel = 4;

// The elements that are moved together, by a work-item (registers) or a work-group (local memory).
struct PackExtents {
  int m = 1;
  int n = 1;
};
PackExtents moved_together(const PackPoint&);

// The source or the destination: its vectors lie along rows or down columns.
struct PackSide {
  Layout layout;
  bool image = false;
  bool along_row = true;
  int width = 1;  // floats per load or store

  // Lines of vectors in a rectangle, and floats in a line.
  int lines(const PackExtents& e) const { return along_row ? e.m : e.n; }
  int length(const PackExtents& e) const { return along_row ? e.n : e.m; }
};
PackSide source_side(const PackPoint&);
PackSide destination_side(const PackPoint&);

// How the work-items of a group share a rectangle in local memory: work-item `id` moves vectors,
// the first one in line id / vectors at (id % vectors) * width, then every so many further on.
struct PackShare {
  int vectors = 1;      // of a line
  int line_step = 1;    // lines between two vectors of a work-item
  int length_step = 1;  // floats between them, in a line
};
PackShare share_of(const PackSide&, const PackPoint&);
int work_items(const PackPoint&);

// Local memory of a work-group: the rectangle in the order of the source, lines one float further
// apart than they are long, so that neighbours across lines lie in different banks.
int local_line(const PackPoint&);
std::int64_t pack_local_bytes(const PackPoint&);

// Text of the places around one element of a matrix in a buffer.
class PackPlace {
 public:
  // (`row`, `column`), names, is an element whose row and column are multiples of `multiples`;
  // `pointer` is the name of its place once pointer_text() is emitted.
  PackPlace(const Layout& layout, std::string buffer, std::string ld, std::string pointer,
            std::string row, std::string column, PackExtents multiples);

  // The place of (row, column): for the pointer's definition.
  std::string pointer_text() const;
  // The place of (row + i, column + j).
  std::string address(int i, int j) const;

 private:
  Layout layout_;
  std::string buffer_;
  std::string ld_;
  std::string pointer_;
  std::string row_;
  std::string column_;
  PackExtents multiples_;
};

}  // namespace tilewright
