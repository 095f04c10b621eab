#include "codelets/pack/pack_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

PackSide make_pack_side(const Layout& layout, bool image, const PackPoint& p) {
  PackSide side;
  side.layout = layout;
  side.image = image;
  side.along_row = layout.run_along_row() >= layout.run_down_column();
  if (image) {
    side.width = kPixel;
    return side;
  }
  const int run = side.along_row ? layout.run_along_row() : layout.run_down_column();
  side.width = std::gcd(p.vector_width, side.length(moved_together(p)));
  // Runs of consecutive elements start at multiples of their length, so a vector whose width
  // divides that length never crosses the end of a run.
  side.width = std::gcd(side.width, run);
  // All work-items of a group must move the same number of elements.
  if (p.local) side.width = std::gcd(side.width, p.tile_m * p.tile_n);
  return side;
}

}  // namespace

PackExtents moved_together(const PackPoint& p) {
  if (!p.local) return {p.tile_m, p.tile_n};
  return {p.tile_m * p.work_group_m, p.tile_n * p.work_group_n};
}

PackSide source_side(const PackPoint& p) {
  return make_pack_side(p.from, false, p);
}

PackSide destination_side(const PackPoint& p) {
  return make_pack_side(p.to, p.image, p);
}

int work_items(const PackPoint& p) {
  return p.work_group_m * p.work_group_n;
}

PackShare pack_share(const PackSide& side, const PackPoint& p) {
  const int length = side.length(moved_together(p));
  PackShare share;
  share.vectors = length / side.width;
  share.line_step = std::max(1, work_items(p) / share.vectors);
  share.length_step = std::min(length, work_items(p) * side.width);
  return share;
}

int local_line(const PackPoint& p) {
  return source_side(p).length(moved_together(p)) + 1;
}

std::int64_t pack_local_bytes(const PackPoint& p) {
  if (!p.local) return 0;
  const std::int64_t lines = source_side(p).lines(moved_together(p));
  return lines * local_line(p) *
         static_cast<std::int64_t>(bytes_per_element(sum_precision(p.precision)));
}

PackPlace::PackPlace(const Layout& layout, std::string buffer, std::string ld, std::string pointer,
                     std::string row, std::string column, PackExtents multiples)
    : layout_(layout),
      buffer_(std::move(buffer)),
      ld_(std::move(ld)),
      pointer_(std::move(pointer)),
      row_(std::move(row)),
      column_(std::move(column)),
      multiples_(multiples) {}

std::string PackPlace::pointer_text() const {
  return fmt::format("{} + {} + {}", buffer_, row_offset_text(layout_, row_, ld_),
                     column_offset_text(layout_, column_, ld_));
}

std::string PackPlace::address(int i, int j) const {
  const auto rows = row_step(layout_, multiples_.m, i);
  const auto columns = column_step(layout_, multiples_.n, j);
  if (!rows || !columns) {
    return fmt::format("{} + {} + {}", buffer_, row_offset_text(layout_, sum_text(row_, i), ld_),
                       column_offset_text(layout_, sum_text(column_, j), ld_));
  }
  const Layout::Offset distance{rows->lines + columns->lines, rows->elements + columns->elements};
  return sum_text(pointer_, distance_text(distance, ld_));
}

}  // namespace tilewright
