// How a pack kernel accesses its source and its destination: direction and width of the vectors,
// the share of each work-item, and addresses.
//
// Internal to codelets; used by the generators and the rules of pack kernels.
#pragma once

#include <string>

#include "codelets/point/pack_point.hpp"
#include "codelets/text/layout_text.hpp"

namespace tilewright {

// Elements per pixel of an image.
inline constexpr int kPixel = 4;

// Extents, in elements, of the rectangle that is copied as one unit: by a work-item (through
// registers) or by a work-group (through local memory).
struct PackExtents {
  int m = 1;
  int n = 1;
};
// The extents for a point: its tile, or the tile of the work-group if local memory is used.
PackExtents moved_together(const PackPoint&);

// The source or the destination matrix. Its vectors run along rows or along columns.
struct PackSide {
  Layout layout;
  bool image = false;
  bool along_row = true;
  int width = 1;  // elements per load or store

  // Number of lines (rows or columns along which vectors run) in a rectangle, and elements per
  // line.
  int lines(const PackExtents& e) const { return along_row ? e.m : e.n; }
  int length(const PackExtents& e) const { return along_row ? e.n : e.m; }
};
// The two sides of a pack kernel. Their vectors run in the direction with the longer contiguous
// runs of the layout.
PackSide source_side(const PackPoint&);
PackSide destination_side(const PackPoint&);

// How the work-items of a group divide a rectangle that goes through local memory. The first vector
// of work-item `id` is in line id / vectors, at element (id % vectors) * width. Its other vectors
// follow at the two steps given here.
struct PackShare {
  int vectors = 1;      // vectors per line
  int line_step = 1;    // lines between two vectors of a work-item
  int length_step = 1;  // elements between two vectors of a work-item, within a line
};
// The share of each work-item of a kernel that uses local memory.
PackShare pack_share(const PackSide&, const PackPoint&);
// Work-items per work-group.
int work_items(const PackPoint&);

// Size of a pack kernel's local memory. It holds the rectangle in the order of the source.
// local_line() is the distance of two lines in elements; it is one more than their length, so that
// neighbours in different lines are in different banks.
int local_line(const PackPoint&);
std::int64_t pack_local_bytes(const PackPoint&);

// Texts of the addresses of elements near one element of a matrix in a buffer.
class PackPlace {
 public:
  // `row` and `column` are names of variables whose values are multiples of the extents in
  // `multiples`. `pointer` is the name of the variable that is initialised with pointer_text().
  PackPlace(const Layout& layout, std::string buffer, std::string ld, std::string pointer,
            std::string row, std::string column, PackExtents multiples);

  // Address of element (row, column), as the initialiser of the pointer.
  std::string pointer_text() const;
  // Address of element (row + i, column + j), relative to the pointer.
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
