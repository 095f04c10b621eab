// Rules on how work-items access operands: images, local memory, alignment.
#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/gemm/gemm_local_staging.hpp"
#include "codelets/gemm/gemm_rules.hpp"

namespace tilewright {
namespace {

// True if the condition holds for A (with axis m) and for B (with axis n).
bool both(const GemmFacts& f, bool (*holds)(const GemmFacts&, const OperandFacts&, const Axis&)) {
  return holds(f, f.a, f.m) && holds(f, f.b, f.n);
}

bool image_is_plain(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return (!p.image_a || p.layout_a.is_plain()) && (!p.image_b || p.layout_b.is_plain());
}

bool pixels_fit(const GemmFacts& f, const OperandFacts& operand, const Axis& axis) {
  if (!operand.image) return true;
  if (operand.local) return (operand.along_k() ? f.block : axis.work_group_tile()) % 4 == 0;
  if (operand.along_k()) return f.point.tile_k % 4 == 0 && f.point.vector_width == 4;
  return axis.tile % 4 == 0 && f.point.vector_width == 4;
}

bool image_reads_pixels(const ParameterPoint& point, const SpaceLimits&) {
  if (!gemm(point).image_a && !gemm(point).image_b) return true;
  return both(GemmFacts(gemm(point)), pixels_fit);
}

bool groups_in_runs(const GemmFacts& f, const OperandFacts& operand, const Axis& axis) {
  if (!f.remainder || !operand.local || operand.along_k()) return true;
  return operand.image ? axis.group == 4 : operand.outer_run % axis.group == 0;
}

bool remainder_reads_groups(const ParameterPoint& point, const SpaceLimits&) {
  if (!gemm(point).local_a && !gemm(point).local_b) return true;
  return both(GemmFacts(gemm(point)), groups_in_runs);
}

bool block_holds_iterations(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.cache_block_k % (p.tile_k * p.unroll_k) == 0;
}

bool local_needs_blocks(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return !(p.local_a || p.local_b) || p.cache_block_k > 0;
}

bool local_options_need_local(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.local_a || p.local_b ||
         (p.local_buffers == 1 && p.local_pad == 0 && p.prefetch == Prefetch::kNone);
}

bool shared(const GemmFacts& f, const OperandFacts& operand, const Axis& axis) {
  return !operand.local || LocalStaging(f, operand, axis).even();
}

bool local_work_is_even(const ParameterPoint& point, const SpaceLimits&) {
  if (!gemm(point).local_a && !gemm(point).local_b) return true;
  return both(GemmFacts(gemm(point)), shared);
}

bool reused(const GemmFacts& f, const OperandFacts& operand, const Axis&) {
  const int others = operand.name == 'a' ? f.point.work_group_n : f.point.work_group_m;
  return !operand.local || others > 1;
}

bool local_is_shared(const ParameterPoint& point, const SpaceLimits&) {
  if (!gemm(point).local_a && !gemm(point).local_b) return true;
  return both(GemmFacts(gemm(point)), reused);
}

bool local_is_not_chunked(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return (!p.local_a || p.layout_a.chunk_columns() == 1) &&
         (!p.local_b || p.layout_b.chunk_rows() == 1);
}

bool barriers_have_company(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.cache_block_k == 0 || p.work_group_m * p.work_group_n > 1;
}

bool aligned_has_vectors(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.access != Access::kAligned || p.vector_width > 1;
}

bool elements_go_through_local(const ParameterPoint& point, const SpaceLimits&) {
  const GemmFacts f(gemm(point));
  if (f.point.access != Access::kElements) return true;
  return f.point.vector_width > 1 && ((f.a.local && !f.a.image) || (f.b.local && !f.b.image));
}

bool indices_have_lines(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  if (p.addressing == Addressing::kPointers) return true;
  return !(p.local_a || p.image_a) || !(p.local_b || p.image_b);
}

}  // namespace

std::vector<Rule> image_rules() {
  return {
      {"image_is_plain",
       "images need a plain layout, R or C",
       true,
       {"layout_a", "layout_b", "image_a", "image_b"},
       image_is_plain},
      {"image_reads_pixels",
       "a pixel has four floats, so vectors have four elements and tiles hold whole pixels",
       true,
       {"layout_a", "layout_b", "image_a", "image_b", "local_a", "local_b", "tile_m", "tile_n",
        "tile_k", "unroll_k", "vector_width", "work_group_m", "work_group_n", "cache_block_k"},
       image_reads_pixels},
  };
}

std::vector<Rule> local_memory_rules() {
  return {
      {"block_holds_iterations",
       "barriers are between loop iterations",
       true,
       {"cache_block_k", "tile_k", "unroll_k"},
       block_holds_iterations},
      {"barriers_have_company",
       "a work-group of one work-item needs no barriers",
       true,
       {"cache_block_k", "work_group_m", "work_group_n"},
       barriers_have_company},
      {"local_needs_blocks",
       "cache_block_k is the k depth of the tiles in local memory",
       true,
       {"local_a", "local_b", "cache_block_k"},
       local_needs_blocks},
      {"local_options_need_local",
       "buffers, padding and prefetch of local memory need local memory",
       true,
       {"local_a", "local_b", "local_buffers", "local_pad", "prefetch"},
       local_options_need_local},
      {"local_is_shared",
       "an operand that only one row or column of work-items reads does not profit from local "
       "memory",
       true,
       {"local_a", "local_b", "work_group_m", "work_group_n"},
       local_is_shared},
      {"local_is_not_chunked",
       "blocks with several k steps are already in the order in which a work-group reads them",
       true,
       {"local_a", "local_b", "layout_a", "layout_b"},
       local_is_not_chunked},
      {"local_work_is_even",
       "the vectors of a k tile must be divided evenly among the work-items, in whole lines",
       true,
       {"local_a", "local_b", "layout_a", "layout_b", "image_a", "image_b", "inner", "tile_m",
        "tile_n", "tile_k", "unroll_k", "vector_width", "work_group_m", "work_group_n",
        "cache_block_k", "access"},
       local_work_is_even},
      {"remainder_reads_groups",
       "the remaining k steps are read without local memory, in the same vectors along m or n",
       true,
       {"edges", "layout_a", "layout_b", "image_a", "image_b", "local_a", "local_b", "inner",
        "tile_m", "tile_n", "vector_width"},
       remainder_reads_groups},
  };
}

std::vector<Rule> access_rules() {
  return {
      {"aligned_has_vectors",
       "aligned access needs vectors",
       true,
       {"access", "vector_width"},
       aligned_has_vectors},
      {"elements_go_through_local",
       "elementwise access is only for operands that are staged in local memory",
       true,
       {"access", "vector_width", "local_a", "local_b", "image_a", "image_b"},
       elements_go_through_local},
      {"indices_have_lines",
       "operands in local memory or images have no pointers to replace",
       true,
       {"addressing", "local_a", "local_b", "image_a", "image_b"},
       indices_have_lines},
  };
}

}  // namespace tilewright
