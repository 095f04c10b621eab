#include "codelets/gemm/gemm_rules.hpp"
#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/gemm/gemm_operand.hpp"
#include "codelets/gemm/gemm_place.hpp"

namespace tilewright {
namespace {

// Maximum number of multiply-adds in a loop body. Longer ones only cost compile time: no published
// tuner and no competing library unrolls further.
constexpr int kMaxUnrolledStatements = 2048;

bool vector_divides_tile(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return (p.inner == Inner::kOuter ? p.tile_n : p.tile_k) % p.vector_width == 0;
}

bool inner_product_is_vector(const ParameterPoint& point, const SpaceLimits&) {
  return gemm(point).inner == Inner::kOuter || gemm(point).vector_width > 1;
}

bool dot_takes_float4(const ParameterPoint& point, const SpaceLimits&) {
  return gemm(point).inner != Inner::kDot || gemm(point).vector_width <= 4;
}

bool dot_spells_itself(const ParameterPoint& point, const SpaceLimits&) {
  return gemm(point).inner != Inner::kDot || gemm(point).multiply_add == MultiplyAdd::kExpression;
}

bool loop_body_is_bounded(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.tile_m * p.tile_n * p.tile_k * p.unroll_k / p.vector_width <= kMaxUnrolledStatements;
}

bool vectors_are_contiguous(const ParameterPoint& point, const SpaceLimits&) {
  if (gemm(point).inner != Inner::kOuter || gemm(point).local_b) return true;
  const GemmFacts f(gemm(point));
  // Rank-1 updates load B in whole vectors along n, or assemble the vectors from single elements.
  const int run = f.b.outer_run;
  return f.b.along_k() || run % f.point.vector_width == 0;
}

bool k_chunks_are_padded(const ParameterPoint& point, const SpaceLimits&) {
  const GemmFacts f(gemm(point));
  return f.point.edges == Edges::kPadded || (f.a.k_chunk == 1 && f.b.k_chunk == 1);
}

bool iterations_hold_k_chunks(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  const bool may_chunk = p.image_a || p.image_b || !p.layout_a.is_plain() || !p.layout_b.is_plain();
  if (!may_chunk) return true;
  const GemmFacts f(p);
  return f.iteration_k % f.a.k_chunk == 0 && f.iteration_k % f.b.k_chunk == 0;
}

bool packed_c_is_padded(const ParameterPoint& point, const SpaceLimits&) {
  return gemm(point).layout_c.is_plain() || gemm(point).edges == Edges::kPadded;
}

bool lanes_fill_work_group(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.work_group_m % p.lanes_m == 0 && p.work_group_n % p.lanes_n == 0;
}

bool lanes_differ(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  if (p.lanes_m * p.lanes_n == 1) return true;
  // Rectangles that are whole lines of work-items in the order of the ids would be the same as no
  // lanes.
  const bool nm = p.id_order == IdOrder::kNM;
  return !(nm ? p.lanes_n == p.work_group_n : p.lanes_m == p.work_group_m);
}

bool offset_has_fragments(const ParameterPoint& point, const SpaceLimits&) {
  if (gemm(point).assignment == Assignment::kConsecutive) return true;
  const GemmFacts f(gemm(point));
  return (f.m.spread > 1 && f.m.groups() > 1) || (f.n.spread > 1 && f.n.groups() > 1);
}

bool split_is_unfused(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.split_k == 1 || (p.bias == Dimension::kNone && p.activation == Activation::kIdentity &&
                            p.layout_c == Layout::R());
}

// The tiles of one product are stored in C and as parts.
bool stream_is_unfused(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.stream_k == 0 || (p.split_k == 1 && p.work_group_k == 1 && p.bias == Dimension::kNone &&
                             p.activation == Activation::kIdentity && p.layout_c == Layout::R());
}

bool stream_counts_groups(const ParameterPoint& point, const SpaceLimits&) {
  return gemm(point).stream_k == 0 || gemm(point).group_size != GroupSize::kDriver;
}

bool shares_have_no_blocks(const ParameterPoint& point, const SpaceLimits&) {
  return gemm(point).work_group_k == 1 || gemm(point).cache_block_k == 0;
}

// With barriers, half-precision sums must end at a loop iteration or at a barrier. Without
// barriers, blocks are as long as accumulate_k says.
bool half_sums_end_with_loops(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  if (p.accumulate_k == 0 || p.accumulate_k == kWholeK) return true;
  const int iteration_k = p.tile_k * p.unroll_k;
  return p.cache_block_k > 0 ? p.accumulate_k == iteration_k || p.accumulate_k == p.cache_block_k
                             : p.accumulate_k % iteration_k == 0;
}

bool half_sums_need_half_type(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.accumulate_k == 0 || (p.precision == Precision::kHalf && p.bias == Dimension::kNone &&
                                 p.activation == Activation::kIdentity);
}

bool half_arithmetic_exists(const ParameterPoint& point, const SpaceLimits& limits) {
  return gemm(point).accumulate_k == 0 || limits.half_arithmetic;
}

bool driver_chooses_freely(const ParameterPoint& point, const SpaceLimits&) {
  const GemmPoint& p = gemm(point);
  return p.group_size != GroupSize::kDriver ||
         (p.work_group_m == 1 && p.work_group_n == 1 && p.work_group_k == 1 &&
          p.cache_block_k == 0 && in_order_of_ids(p));
}

bool group_fits(const ParameterPoint& point, const SpaceLimits& limits) {
  const GemmPoint& p = gemm(point);
  const bool nm = p.id_order == IdOrder::kNM;
  const std::int64_t items =
      static_cast<std::int64_t>(p.work_group_m) * p.work_group_n * p.work_group_k;
  return items <= limits.max_work_group_size &&
         work_group_fits(nm ? p.work_group_n : p.work_group_m, nm ? p.work_group_m : p.work_group_n,
                         limits);
}

// Half-precision sums are a late parameter, so a search does not rely on the local memory that they
// save.
bool local_memory_fits(const ParameterPoint& point, const SpaceLimits& limits) {
  const GemmPoint& p = gemm(point);
  return GemmFacts(p).local_bytes(sum_precision(p.precision)) <= limits.local_memory_bytes;
}

bool local_memory_pays(const ParameterPoint& point, const SpaceLimits& limits) {
  return limits.local_memory_is_dedicated || !(gemm(point).local_a || gemm(point).local_b);
}

bool images_exist(const ParameterPoint& point, const SpaceLimits& limits) {
  return limits.image_support || !(gemm(point).image_a || gemm(point).image_b);
}

bool fits_across_barriers(const ParameterPoint& point, const SpaceLimits& limits) {
  const GemmPoint& p = gemm(point);
  const std::int64_t items =
      static_cast<std::int64_t>(p.work_group_m) * p.work_group_n * p.work_group_k;
  return items * num_floats(p) <= limits.group_floats || !GemmFacts(p).stays;
}

bool fits_registers(const ParameterPoint& point, const SpaceLimits& limits) {
  return num_floats(gemm(point)) <= limits.register_floats;
}

std::vector<Rule> structural_rules() {
  return {
      {"vector_divides_tile",
       "vectors run along n (outer) or k (dot, partial), and a tile must hold whole vectors",
       true,
       {"inner", "vector_width", "tile_n", "tile_k"},
       vector_divides_tile},
      {"inner_product_is_vector",
       "with vectors of one element, dot and partial are the same kernel as outer",
       true,
       {"inner", "vector_width"},
       inner_product_is_vector},
      {"dot_takes_float4",
       "dot() of OpenCL supports at most float4",
       true,
       {"inner", "vector_width"},
       dot_takes_float4},
      {"dot_spells_itself",
       "dot() has no multiply-adds whose form could be chosen",
       true,
       {"inner", "multiply_add"},
       dot_spells_itself},
      {"loop_body_is_bounded",
       "more than 2048 statements in the loop only increase the compile time",
       true,
       {"tile_m", "tile_n", "tile_k", "unroll_k", "vector_width"},
       loop_body_is_bounded},
      {"vectors_are_contiguous",
       "rank-1 updates read vectors of B along n, which must be contiguous in its layout",
       true,
       {"inner", "vector_width", "layout_b", "image_b", "local_b"},
       vectors_are_contiguous},
      {"k_chunks_are_padded",
       "blocks and pixels with several k steps are read as a whole, so k must be padded",
       true,
       {"layout_a", "layout_b", "image_a", "image_b", "edges"},
       k_chunks_are_padded},
      {"iterations_hold_k_chunks",
       "a loop iteration must process whole blocks or pixels",
       true,
       {"layout_a", "layout_b", "image_a", "image_b", "tile_k", "unroll_k"},
       iterations_hold_k_chunks},
      {"packed_c_is_padded",
       "a packed C is stored with its padding, so all operands must be padded",
       true,
       {"layout_c", "edges"},
       packed_c_is_padded},
  };
}

std::vector<Rule> place_rules() {
  return {
      {"lanes_fill_work_group",
       "lanes must divide the work-group",
       true,
       {"lanes_m", "lanes_n", "work_group_m", "work_group_n"},
       lanes_fill_work_group},
      {"lanes_differ",
       "lanes as large as the work-group do not change the order",
       true,
       {"lanes_m", "lanes_n", "work_group_m", "work_group_n", "id_order"},
       lanes_differ},
      {"offset_has_fragments",
       "if each work-item has a single vector, offset is the same as consecutive",
       true,
       {"assignment", "layout_a", "layout_b", "image_a", "image_b", "local_a", "local_b", "inner",
        "tile_m", "tile_n", "vector_width", "work_group_m", "work_group_n", "lanes_m", "lanes_n"},
       offset_has_fragments},
  };
}

std::vector<Rule> division_rules() {
  return {
      {"split_is_unfused",
       "the parts of a split k are added up by another kernel, which also applies bias and "
       "activation",
       true,
       {"split_k", "bias", "activation", "layout_c"},
       split_is_unfused},
      {"stream_is_unfused",
       "an even division of k replaces other divisions and stores incomplete sums row by row",
       true,
       {"stream_k", "split_k", "work_group_k", "bias", "activation", "layout_c"},
       stream_is_unfused},
      {"stream_counts_groups",
       "an even division of k among the work-groups needs a known work-group",
       true,
       {"stream_k", "group_size"},
       stream_counts_groups},
      {"shares_have_no_blocks",
       "work-items that share k run different numbers of iterations, so their loop cannot have "
       "barriers",
       true,
       {"work_group_k", "cache_block_k"},
       shares_have_no_blocks},
      {"half_sums_need_half_type",
       "only half-precision products without bias and activation accumulate in half precision",
       true,
       {"precision", "accumulate_k", "bias", "activation"},
       half_sums_need_half_type},
      {"half_sums_end_with_loops",
       "half-precision sums are added to floats at the end of a loop: accumulate_k must be whole "
       "loop iterations, and end at the barriers",
       true,
       {"accumulate_k", "tile_k", "unroll_k", "cache_block_k"},
       half_sums_end_with_loops},
  };
}

std::vector<Rule> build_rules() {
  return {
      exponential_is_called(),
      images_and_networks_have_type({"precision", "image_a", "image_b", "bias", "activation"}),
      {kDriverChoosesFreely,
       kDriverChoosesFreelyReason,
       true,
       {"group_size", "work_group_m", "work_group_n", "work_group_k", "cache_block_k",
        "group_order", "id_order"},
       driver_chooses_freely},
  };
}

std::vector<Rule> device_rules() {
  return {
      vector_is_taken(),
      {kWorkGroupFits,
       kWorkGroupFitsReason,
       false,
       {"work_group_m", "work_group_n", "work_group_k", "id_order"},
       group_fits},
      {"local_memory_pays",
       "the device has no dedicated local memory (CPUs, Mali), so staging would be a useless copy",
       false,
       {"local_a", "local_b"},
       local_memory_pays},
      {"local_memory_fits",
       "the kernel needs more local memory than the device has",
       false,
       {"precision", "local_a", "local_b", "local_buffers", "local_pad", "inner", "tile_m",
        "tile_n", "work_group_m", "work_group_n", "work_group_k", "cache_block_k", "tile_k",
        "unroll_k"},
       local_memory_fits},
      {"half_arithmetic_exists",
       "the device does not support cl_khr_fp16",
       false,
       {"accumulate_k"},
       half_arithmetic_exists},
      {"images_exist",
       "the device does not support images",
       false,
       {"image_a", "image_b"},
       images_exist},
      {"fits_across_barriers",
       "on a CPU, values that work-items keep across barriers are in memory; drivers crash if there "
       "are too many",
       false,
       {"precision", "cache_block_k", "work_group_m", "work_group_n", "work_group_k", "inner",
        "tile_m", "tile_n", "tile_k", "vector_width", "local_a", "local_b"},
       fits_across_barriers},
      {"fits_registers",
       "the tile and its operands exceed the registers",
       false,
       {"precision", "inner", "tile_m", "tile_n", "tile_k", "vector_width", "local_a", "local_b",
        "work_group_m", "work_group_n", "cache_block_k"},
       fits_registers},
  };
}

}  // namespace

std::vector<Rule> gemm_rules() {
  std::vector<Rule> table;
  for (const std::vector<Rule>& part :
       {structural_rules(), image_rules(), local_memory_rules(), access_rules(), place_rules(),
        division_rules(), build_rules(), device_rules()}) {
    table.insert(table.end(), part.begin(), part.end());
  }
  return table;
}

int num_floats(const GemmPoint& p) {
  const int accumulators = p.tile_m * p.tile_n * (p.inner == Inner::kPartial ? p.vector_width : 1);
  // Elements of the next local k tile, which are in registers while they are loaded.
  const auto fetched = [&](bool local, int work_group_tile) {
    return local ? work_group_tile * p.cache_block_k / (p.work_group_m * p.work_group_n) : 0;
  };
  const int elements = accumulators + (p.tile_m + p.tile_n) * p.tile_k +
                       fetched(p.local_a, p.work_group_m * p.tile_m) +
                       fetched(p.local_b, p.work_group_n * p.tile_n);
  return elements * floats_per_sum(p.precision);
}

}  // namespace tilewright
