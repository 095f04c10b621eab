#include "runtime/call/storage.hpp"

#include <algorithm>
#include <utility>

#include "profiles/round_up.hpp"

namespace tilewright {
namespace {

// True if the number of elements exceeds kMaxElements. Uses double precision, which cannot
// overflow for any two extents.
bool beyond_count(double lines, double line) {
  return lines * line >= static_cast<double>(kMaxElements);
}

// Storage of a matrix that is padded to whole chunks and multiples, or not at all.
Storage storage(const Layout& layout, bool image, std::int64_t rows, std::int64_t columns,
                const KernelRecord& record) {
  Storage s{layout, image, rows, columns, 0, 0, record.precision};
  if (image) {
    const auto width = static_cast<double>(s.image_width());
    const auto height = static_cast<double>(s.image_height());
    s.elements =
        beyond_count(height, 4 * width) ? kMaxElements : 4 * s.image_width() * s.image_height();
    return s;
  }
  std::int64_t ld = layout.min_ld(rows, columns);
  if (layout.is_plain()) ld = round_up(ld, record.alignment);
  s.ld = static_cast<std::size_t>(ld);
  s.elements = counted_elements(layout, rows, columns, ld);
  return s;
}

bool is_padded(const Layout& layout, bool image, const KernelRecord& record) {
  return image || !layout.is_plain() || record.edges == Edges::kPadded;
}

// Multiple to which a line is extended because an aligned kernel that writes any C reads whole
// vectors.
int whole_vector(const KernelRecord& record, const Layout& layout, const Layout& along) {
  return record.any_c && layout == along ? record.alignment : 1;
}

// Only matrices in plain layouts can be misaligned for a kernel's vectors.
bool is_aligned(const Layout& layout, const MatrixArgument& matrix, int alignment) {
  return !layout.is_plain() || matrix.is_aligned(static_cast<std::size_t>(alignment));
}

// True if an operand can be used unpacked: it must be stored exactly as the record requires.
bool is_stored_as(const Layout& wanted, bool image, const Layout& given, const Storage& storage,
                  std::int64_t rows, std::int64_t columns, const MatrixArgument& matrix,
                  int alignment) {
  return !image && wanted == given && storage.rows == rows && storage.columns == columns &&
         is_aligned(given, matrix, alignment);
}

}  // namespace

std::size_t Storage::image_width() const {
  const std::int64_t along = layout.outside() == Layout::Order::kRows ? columns : rows;
  return static_cast<std::size_t>((along + 3) / 4);
}

std::size_t Storage::image_height() const {
  return static_cast<std::size_t>(layout.outside() == Layout::Order::kRows ? rows : columns);
}

std::size_t counted_elements(const Layout& layout, std::int64_t rows, std::int64_t columns,
                             std::int64_t ld) {
  const bool by_rows = layout.outside() == Layout::Order::kRows;
  const std::int64_t lines =
      by_rows ? rows / layout.chunk_rows() : columns / layout.chunk_columns();
  return beyond_count(static_cast<double>(lines), static_cast<double>(ld))
             ? kMaxElements
             : static_cast<std::size_t>(layout.elements(rows, columns, ld));
}

bool is_countable(const Storage& storage) {
  const auto is_int = [](auto value) { return std::in_range<int>(value); };
  return is_int(storage.rows) && is_int(storage.columns) && is_int(storage.ld) &&
         storage.elements < kMaxElements;
}

Storage storage_a(const KernelRecord& record, const GemmShape& shape) {
  const bool pad = is_padded(record.layout_a, record.images.a, record);
  return storage(record.layout_a, record.images.a,
                 round_up(shape.m, pad ? record.multiples.m
                                       : whole_vector(record, record.layout_a, Layout::C())),
                 pad ? round_up(shape.k, record.multiples.k) : shape.k, record);
}

Storage storage_b(const KernelRecord& record, const GemmShape& shape) {
  const Layout layout = record.layout_b.value_or(Layout::R());
  const bool pad = is_padded(layout, record.images.b, record);
  return storage(
      layout, record.images.b, pad ? round_up(shape.k, record.multiples.k) : shape.k,
      round_up(shape.n, pad ? record.multiples.n : whole_vector(record, layout, Layout::R())),
      record);
}

Storage storage_c(const KernelRecord& record, const GemmShape& shape) {
  const bool pad = !record.layout_c.is_plain();
  return storage(record.layout_c, false, pad ? round_up(shape.m, record.multiples.m) : shape.m,
                 pad ? round_up(shape.n, record.multiples.n) : shape.n, record);
}

Storage storage_parts(const KernelRecord& record, const GemmShape& shape,
                      const PartialProducts& parts) {
  const std::int64_t rows = (shape.m - parts.first_row) * parts.count;
  Storage stored = storage(Layout::R(), false, rows, shape.n, record);
  stored.precision = sum_precision(record.precision);
  return stored;
}

PackProblem pack_problem(const Storage& to, std::int64_t rows, std::int64_t columns,
                         const MatrixArgument& from) {
  return {rows, columns, to.rows, to.columns, from, {nullptr, 0, to.ld}};
}

// Nothing outside of the caller's matrix may be written.
PackProblem unpack_problem(const Storage& from, std::int64_t rows, std::int64_t columns,
                           const MatrixArgument& to) {
  return {rows, columns, rows, columns, {nullptr, 0, from.ld}, to};
}

bool accepts_a(const KernelRecord& record, const GemmProblem& problem) {
  return is_stored_as(record.layout_a, record.images.a, op_layout_a(problem.op),
                      storage_a(record, problem.shape), problem.shape.m, problem.shape.k, problem.a,
                      record.alignment);
}

bool accepts_b(const KernelRecord& record, const GemmProblem& problem) {
  return is_stored_as(record.layout_b.value_or(Layout::R()), record.images.b,
                      op_layout_b(problem.op), storage_b(record, problem.shape), problem.shape.k,
                      problem.shape.n, problem.b, record.alignment);
}

bool accepts_c(const KernelRecord& record, const GemmProblem& problem) {
  return is_stored_as(record.layout_c, false, Layout::R(), storage_c(record, problem.shape),
                      problem.shape.m, problem.shape.n, problem.c, record.alignment_c());
}

bool supports(const KernelRecord& record, const GemmShape& shape) {
  if (record.stream_k > 0 && !can_divide(record, shape)) return false;
  if (record.narrow == Dimension::kN && shape.n > record.tile.n) return false;
  if (record.narrow == Dimension::kM && shape.m > record.tile.m) return false;
  if (record.any_c) return true;
  // A vector that ends at the edge of the caller's matrix must be complete.
  const Layout layout_b = record.layout_b.value_or(Layout::R());
  const bool n_ends = record.layout_c == Layout::R() ||
                      (layout_b == Layout::R() && !is_padded(layout_b, record.images.b, record));
  const bool m_ends =
      record.layout_c == Layout::C() ||
      (record.layout_a == Layout::C() && !is_padded(record.layout_a, record.images.a, record));
  return (!n_ends || shape.n % record.alignment == 0) &&
         (!m_ends || shape.m % record.alignment == 0);
}

}  // namespace tilewright
