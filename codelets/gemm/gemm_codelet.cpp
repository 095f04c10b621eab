// The GEMM generator: writes the source of a kernel from top to bottom.
//
// A kernel computes C = alpha op(A) op(B) + beta C. Each work-item computes one tile of C
// (gemm_place). It loops over k in whole k tiles (gemm_loop). In each iteration it loads its parts
// of A and B (gemm_operand) from global memory, from images, or from local memory, which its
// work-group fills together (gemm_local_staging), and multiplies them (gemm_inner). The remainder
// of k, less than one iteration, is computed one step at a time, always from global memory. If
// several work-items share the k of a tile, their sums are added up (gemm_shares). Finally the
// work-item stores its part of C (gemm_store). With stream_k, all this is in a loop over the tiles
// of the work-group (gemm_stream). Before all this, plain loops compute a product that has fewer
// rows or columns than a vector (gemm_narrow).
//
// Kernels with guarded edges accept any m, n, k >= 0: elements outside the matrix are replaced by
// elements inside, and the results are not stored. Padded operands contain zeros outside the matrix
// and need no guards.
#include <fmt/format.h>

#include <numeric>

#include "codelets/gemm/gemm_inner.hpp"
#include "codelets/gemm/gemm_loop.hpp"
#include "codelets/gemm/gemm_names.hpp"
#include "codelets/gemm/gemm_narrow.hpp"
#include "codelets/gemm/gemm_place.hpp"
#include "codelets/gemm/gemm_shares.hpp"
#include "codelets/gemm/gemm_store.hpp"
#include "codelets/gemm/gemm_store_functions.hpp"
#include "codelets/gemm/gemm_stream.hpp"
#include "codelets/point/emitters.hpp"

namespace tilewright {
namespace {

// The point of a kernel that stores parts of k and is otherwise equal.
GemmPoint storing_parts(GemmPoint point) {
  point.split_k = 2;
  return point;
}

class GemmWriter {
 public:
  GemmWriter(const GemmPoint& point, bool batched)
      : f_(point),
        parts_point_(storing_parts(point)),
        f_in_parts_(parts_point_),
        batched_(batched),
        loop_(out_, f_) {}

  KernelParts write() &&;

 private:
  void heading();
  void functions();
  std::string operand_argument(const OperandFacts& operand) const;
  void arguments();
  void place();
  void barrier_for_all();
  void add_shares();
  void leave_stores_to_others();

  const GemmPoint& p() const { return f_.point; }

  GemmFacts f_;
  GemmPoint parts_point_;
  GemmFacts f_in_parts_;  // with stream_k, for the tiles that have several parts
  bool batched_;
  KernelParts parts_;
  SourceText& out_ = parts_.body;
  GemmLoop loop_;
};

KernelParts GemmWriter::write() && {
  heading();
  functions();
  arguments();
  place();
  loop_.declare_operands();
  const bool floats_at_end = f_.half_sums == GemmFacts::HalfSums::kEnd;
  floats_at_end ? emit_half_sums(out_, f_, true) : emit_accumulators(out_, f_);
  loop_.blocks();
  if (f_.barriers) barrier_for_all();
  if (f_.remainder) loop_.remainder();
  if (floats_at_end) emit_sums_to_floats(out_, f_);
  if (p().inner == Inner::kPartial) emit_fold(out_, f_);
  if (p().work_group_k > 1) add_shares();
  p().stream_k > 0 ? close_stream(out_, f_, f_in_parts_) : emit_stores(out_, f_);
  parts_.group_size = p().group_size;
  return std::move(parts_);
}

void GemmWriter::functions() {
  SourceText& out = parts_.functions;
  if (f_.a.image || f_.b.image) {
    out.line("__constant sampler_t nearest =");
    out.line("    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;");
    out.blank();
    if (f_.may_be_narrow()) emit_pixel_lane(out);
  }
  emit_store_functions(out, f_);
  if (p().stream_k > 0) emit_store_functions(out, f_in_parts_);
}

std::string GemmWriter::operand_argument(const OperandFacts& operand) const {
  return fmt::format("{}{}, {} offset_{}, const int ld{}",
                     operand.image ? "__read_only image2d_t " : "__global const ELEMENT *restrict ",
                     operand.argument(), "const ulong", operand.name, operand.name);
}

void GemmWriter::heading() {
  parts_.purpose = {
      fmt::format("C = alpha op(A) op(B) + beta C. Layouts: op(A) {}, op(B) {}, C {}.",
                  to_text(p().layout_a), to_text(p().layout_b), to_text(p().layout_c))};
  parts_.legend = gemm_names();
  parts_.arguments = {
      "const int m, const int n, const int k, const REAL alpha", operand_argument(f_.a),
      operand_argument(f_.b),
      fmt::format("const REAL beta, __global {} *restrict C, const ulong offset_c, const int ldc",
                  f_.c_type())};
  if (p().stream_k > 0) parts_.arguments.push_back(stream_arguments());
}

void GemmWriter::arguments() {
  loop_.declare_arrays();
  if (p().work_group_k > 1) declare_shared_sums(out_, f_);
  for (const OperandFacts* operand : {&f_.a, &f_.b}) {
    if (!operand->image) out_.line("{} += offset_{};", operand->argument(), operand->name);
  }
  const char* part = p().work_group_k > 1 ? "get_group_id(2)" : "get_global_id(2)";
  out_.line("C += offset_c{};",
            p().split_k > 1 ? fmt::format(" + (size_t){} * m * ldc", part) : "");
  if (p().stream_k > 0) out_.line("parts += offset_parts;");
  if (batched_) write_own_product(out_);
  if (p().bias != Dimension::kNone) out_.line("bias += offset_bias;");
  loop_.declare_range();
}

// Work-items whose tile is outside of C return at once, unless barriers follow that all work-items
// must reach.
void GemmWriter::place() {
  if (f_.may_be_narrow()) emit_narrow(out_, f_);
  if (p().stream_k > 0) open_stream(out_, f_);
  out_.line("// The tile of C that this work-item computes.");
  emit_place(out_, f_);
  if (p().stream_k > 0) emit_missing_parts(out_, f_);
  if (!f_.stays) out_.line("if (row >= m || col >= n) {}", f_.end_tile());
  if (f_.m.clamped || f_.n.clamped) {
    out_.line(
        "// Vectors, rows and columns past the edge are moved inside; each result is stored "
        "once.");
  }
  emit_starts(out_, f_.m);
  emit_starts(out_, f_.n);
}

void GemmWriter::barrier_for_all() {
  out_.line("// All work-items must reach this barrier, also if k has no whole block.");
  out_.line("{}", kBarrier);
  leave_stores_to_others();
}

// No barrier follows, so work-items without results to store may return.
void GemmWriter::leave_stores_to_others() {
  out_.line("if ({}row >= m || col >= n) {}",
            f_.may_be_narrow() ? narrow_condition(f_) + " || " : "", f_.end_tile());
}

void GemmWriter::add_shares() {
  emit_sum_of_shares(out_, f_);
  out_.line("if (share > 0) return;");
  leave_stores_to_others();
}

// Multiple to which an axis is padded if any matrix is padded along it: whole chunks of the
// layouts, and everything that the work-items of a launch access.
int padding(const GemmFacts& f, const Axis& axis, int operand_chunk, int c_chunk) {
  if (axis.clamped) return 1;
  const bool whole_groups = f.stays || axis.spread > 1;
  return std::lcm(std::lcm(operand_chunk, c_chunk),
                  whole_groups ? axis.work_group_tile() : axis.tile);
}

}  // namespace

KernelRecord describe_kernel(const GemmPoint& p) {
  const GemmFacts f(p);
  KernelRecord record = make_record(Role::kGemm, p);
  record.accumulate_k = p.accumulate_k;
  record.work_group_k = p.work_group_k;
  record.split_k = p.split_k;
  record.stream_k = p.stream_k;
  record.local_bytes = f.local_bytes(f.operand_precision());
  record.tile = {p.tile_m, p.tile_n, p.tile_k};
  record.layout_a = p.layout_a;
  record.layout_b = p.layout_b;
  record.layout_c = p.layout_c;
  record.images = {p.image_a, p.image_b, false};
  record.edges = p.edges;
  const int k_chunk = std::lcm(f.a.k_chunk, f.b.k_chunk);
  record.multiples = {padding(f, f.m, f.a.outer_chunk, p.layout_c.chunk_rows()),
                      padding(f, f.n, f.b.outer_chunk, p.layout_c.chunk_columns()),
                      f.remainder ? k_chunk : std::lcm(k_chunk, f.block)};
  record.iteration_k = p.inner == Inner::kOuter ? 1 : f.barriers ? f.iteration_k : f.block;
  record.alignment = p.access == Access::kAligned ? p.vector_width : 1;
  record.any_c = record.alignment > 1;
  record.batched = may_be_batched(record);
  return record;
}

KernelParts write_kernel(const GemmPoint& point) {
  return GemmWriter(point, describe_kernel(point).batched).write();
}

}  // namespace tilewright
