#include "codelets/gemm/gemm_facts.hpp"

#include <fmt/format.h>

#include <numeric>

#include "codelets/text/layout_text.hpp"
#include "codelets/text/vector_text.hpp"

namespace tilewright {
namespace {

OperandFacts operand_a(const GemmPoint& p) {
  OperandFacts a{'a', p.layout_a};
  a.image = p.image_a;
  a.local = p.local_a;
  a.k_run = p.layout_a.run_along_row();
  a.outer_run = p.layout_a.run_down_column();
  a.k_chunk = p.layout_a.chunk_columns();
  a.outer_chunk = p.layout_a.chunk_rows();
  return a;
}

OperandFacts operand_b(const GemmPoint& p) {
  OperandFacts b{'b', p.layout_b};
  b.image = p.image_b;
  b.local = p.local_b;
  b.k_run = p.layout_b.run_down_column();
  b.outer_run = p.layout_b.run_along_row();
  b.k_chunk = p.layout_b.chunk_rows();
  b.outer_chunk = p.layout_b.chunk_columns();
  return b;
}

void complete(OperandFacts& operand, Edges edges) {
  operand.clamped = edges == Edges::kGuarded && operand.layout.is_plain() && !operand.image;
  if (!operand.image) return;
  // An image is addressed in pixels of four elements.
  if (operand.along_k()) {
    operand.k_run = operand.k_chunk = 4;
  } else {
    operand.outer_run = operand.outer_chunk = 4;
  }
}

// Number of neighbouring elements along m or n that an operand is loaded with, and that form one
// group of an axis.
int register_group(const OperandFacts& operand, int tile, int vector_width, bool outer) {
  if (operand.local) return outer ? std::gcd(tile, vector_width) : 1;
  if (operand.along_k()) return 1;
  if (operand.image) return 4;
  return std::gcd(std::gcd(tile, vector_width), operand.outer_run);
}

GemmFacts::HalfSums choose_half_sums(const GemmPoint& p, int iteration_k) {
  if (p.accumulate_k == 0) return GemmFacts::HalfSums::kNone;
  if (p.accumulate_k == kWholeK) return GemmFacts::HalfSums::kEnd;
  return p.accumulate_k == iteration_k ? GemmFacts::HalfSums::kIteration
                                       : GemmFacts::HalfSums::kBlock;
}

bool reads_whole_vectors(const GemmPoint& p, const OperandFacts& operand) {
  return p.access == Access::kAligned && operand.clamped && !operand.along_k();
}

}  // namespace

std::string Axis::inside(int t) const {
  if (!clamped) return place(t);
  return sum_text(fmt::format("{}{}", start, t / group), t % group);
}

std::string Axis::place(int t) const {
  return sum_text(first, distance(t));
}

Layout::Offset OperandFacts::k_offset(int k) const {
  return name == 'a' ? layout.column_offset(k) : layout.row_offset(k);
}

Layout::Offset OperandFacts::outer_offset(int outer) const {
  return name == 'a' ? layout.row_offset(outer) : layout.column_offset(outer);
}

std::optional<Layout::Offset> OperandFacts::outer_step(int tile, int i) const {
  return name == 'a' ? row_step(layout, tile, i) : column_step(layout, tile, i);
}

std::string OperandFacts::k_offset_text(const std::string& k) const {
  return name == 'a' ? column_offset_text(layout, k, ld()) : row_offset_text(layout, k, ld());
}

std::string OperandFacts::outer_offset_text(const std::string& outer) const {
  return name == 'a' ? row_offset_text(layout, outer, ld())
                     : column_offset_text(layout, outer, ld());
}

GemmFacts::GemmFacts(const GemmPoint& p)
    : point(p),
      a(operand_a(p)),
      b(operand_b(p)),
      m{'m', 'i', "row"},
      n{'n', 'j', "col"},
      outer(p.inner == Inner::kOuter),
      local(p.local_a || p.local_b),
      barriers(p.cache_block_k > 0),
      stays(p.cache_block_k > 0 || p.work_group_k > 1),
      iteration_k(p.tile_k * p.unroll_k),
      block(p.cache_block_k > 0 ? p.cache_block_k : iteration_k),
      half_sums(choose_half_sums(p, iteration_k)) {
  if (half_sums == HalfSums::kBlock && !barriers && !local) block = p.accumulate_k;
  complete(a, p.edges);
  complete(b, p.edges);
  remainder = a.clamped || b.clamped;
  const bool lanes = p.lanes_m * p.lanes_n > 1;
  const bool offset = p.assignment == Assignment::kOffset;
  m.tile = p.tile_m;
  m.work_group = p.work_group_m;
  m.group = register_group(a, p.tile_m, p.vector_width, outer);
  m.spread = !offset ? 1 : lanes ? p.lanes_m : p.work_group_m;
  m.clamped = a.clamped;
  m.whole = m.group > 1 && reads_whole_vectors(p, a);
  n.tile = p.tile_n;
  n.work_group = p.work_group_n;
  n.group = outer ? p.vector_width : register_group(b, p.tile_n, p.vector_width, outer);
  n.spread = !offset ? 1 : lanes ? p.lanes_n : p.work_group_n;
  n.clamped = b.clamped;
  n.whole = n.group > 1 && reads_whole_vectors(p, b);
}

// Lines of local memory run along m or n for rank-1 updates and along k for inner products, because
// vectors are read in this direction.
int GemmFacts::local_line(const OperandFacts&, const Axis& axis) const {
  return (outer ? axis.work_group_tile() : block) + point.local_pad;
}

int GemmFacts::local_tile(const OperandFacts& operand, const Axis& axis) const {
  return local_line(operand, axis) * (outer ? block : axis.work_group_tile());
}

std::int64_t GemmFacts::local_bytes(Precision operand) const {
  const std::int64_t operands =
      (a.local ? local_tile(a, m) : 0) + static_cast<std::int64_t>(b.local ? local_tile(b, n) : 0);
  // If work-items share k, half of them pass their sums to the other half through local memory.
  const std::int64_t sums = static_cast<std::int64_t>(point.work_group_k / 2) * work_items() *
                            point.tile_m * point.tile_n;
  return operands * point.local_buffers * static_cast<std::int64_t>(bytes_per_element(operand)) +
         sums * static_cast<std::int64_t>(bytes_per_element(sum_precision(point.precision)));
}

bool GemmFacts::may_be_narrow() const {
  return (m.clamped && m.group > 1) || (n.clamped && n.group > 1);
}

std::string GemmFacts::operand_type(int width) const {
  return half_sums == HalfSums::kNone ? real_type(width) : half_type(width);
}

std::string GemmFacts::load_operand(int width, const std::string& address) const {
  const bool aligned = point.access == Access::kAligned;
  if (half_sums == HalfSums::kNone) return matrix_load(width, address, aligned);
  return aligned ? aligned_load(width, half_type(width), "__global", address)
                 : plain_load(width, address);
}

int GemmFacts::accumulator_width() const {
  return point.inner == Inner::kDot ? 1 : point.vector_width;
}

int GemmFacts::accumulators_per_row() const {
  return outer ? point.tile_n / point.vector_width : point.tile_n;
}

}  // namespace tilewright
