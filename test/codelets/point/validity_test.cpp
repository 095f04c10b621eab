#include "codelets/point/validity.hpp"

#include <set>

#include "catch.hpp"
#include "codelets/space/emit.hpp"

namespace tilewright {
namespace {

SpaceLimits make_limits(std::int64_t work_group, std::array<std::int64_t, 2> sizes, int registers) {
  SpaceLimits limits;
  limits.max_work_group_size = work_group;
  limits.max_work_item_sizes = sizes;
  limits.register_floats = registers;
  return limits;
}

const SpaceLimits kSmallLimits = make_limits(256, {256, 64}, 128);

// Name of the violated rule, or "valid".
std::string verdict(const std::string& point, const SpaceLimits& limits = kSmallLimits) {
  const Rule* rule = broken_rule(parse_point(point), limits);
  return rule == nullptr ? "valid" : std::string(rule->name);
}

struct Broken {
  const char* rule;
  const char* point;
};

// For each structural rule, a point that violates it and no earlier rule.
constexpr Broken kBroken[] = {
    {"vector_divides_tile", "tile_n=6 vector_width=4"},
    {"vector_divides_tile", "op=NT tile_k=2 vector_width=4 inner=dot"},
    {"inner_product_is_vector", "inner=dot"},
    {"inner_product_is_vector", "inner=partial"},
    {"dot_takes_float4", "tile_k=8 vector_width=8 inner=dot"},
    {"dot_spells_itself", "tile_k=4 vector_width=4 inner=dot multiply_add=fma"},
    {"loop_body_is_bounded", "tile_m=16 tile_n=64 tile_k=16"},
    {"vectors_are_contiguous", "layout_b=C1x4R tile_n=8 vector_width=8"},
    {"k_chunks_are_padded", "layout_a=R4x4R tile_k=4"},
    {"k_chunks_are_padded", "op=NN tile_k=4 tile_n=4 vector_width=4 image_a=yes"},
    {"iterations_hold_k_chunks", "layout_a=R4x4R tile_k=2 edges=padded"},
    {"packed_c_is_padded", "layout_c=C4x4C"},
    {"image_is_plain", "layout_a=R4x1C tile_m=4 tile_n=4 vector_width=4 image_a=yes"},
    {"image_reads_pixels", "op=NN tile_n=4 vector_width=2 image_b=yes"},
    {"image_reads_pixels", "op=TN tile_m=2 tile_n=4 vector_width=4 image_a=yes"},
    {"block_holds_iterations", "tile_k=8 work_group_n=8 cache_block_k=4"},
    {"barriers_have_company", "cache_block_k=4"},
    {"local_needs_blocks", "work_group_n=4 tile_m=4 local_a=yes"},
    {"local_options_need_local", "local_buffers=2"},
    {"local_options_need_local", "local_pad=1"},
    {"local_options_need_local", "prefetch=clamped"},
    {"local_is_shared", "work_group_m=4 cache_block_k=4 local_a=yes"},
    {"local_is_not_chunked",
     "layout_a=R4x4R tile_m=4 tile_k=4 edges=padded work_group_n=4 cache_block_k=4 local_a=yes"},
    {"local_work_is_even", "op=TN tile_m=3 work_group_n=2 cache_block_k=4 local_a=yes"},
    {"remainder_reads_groups",
     "layout_a=R2x1C tile_m=4 tile_n=4 vector_width=4 work_group_n=4 cache_block_k=4 local_a=yes"},
    {"aligned_has_vectors", "access=aligned"},
    {"elements_go_through_local", "tile_n=4 vector_width=4 access=elements"},
    {"elements_go_through_local",
     "tile_m=4 tile_n=4 work_group_n=4 cache_block_k=4 local_a=yes access=elements"},
    {"indices_have_lines",
     "tile_m=4 tile_n=4 work_group_m=4 work_group_n=4 cache_block_k=4 local_a=yes local_b=yes "
     "addressing=indices"},
    {"lanes_fill_work_group", "work_group_m=2 work_group_n=2 lanes_m=4"},
    {"lanes_differ", "work_group_m=4 work_group_n=4 lanes_m=2 lanes_n=4"},
    {"offset_has_fragments", "tile_m=4 assignment=offset"},
    {"split_is_unfused", "split_k=2 bias=m"},
    {"split_is_unfused", "split_k=2 activation=relu"},
    {"stream_is_unfused", "split_k=2 stream_k=2"},
    {"stream_is_unfused", "stream_k=2 work_group_n=4 work_group_k=2"},
    {"stream_counts_groups", "stream_k=2 group_size=driver"},
    {"stream_is_unfused", "stream_k=2 bias=m"},
    {"stream_is_unfused", "stream_k=2 activation=relu"},
    {"stream_is_unfused", "stream_k=2 layout_c=C"},
    {"shares_have_no_blocks", "work_group_n=4 work_group_k=2 cache_block_k=4"},
    {"layouts_are_plain", "gemv layout_a=R8x1C"},
    {"vectors_fit", "gemv tile_k=2 vector_width=4"},
    {"body_is_bounded", "gemv tile_narrow=16 tile_wide=8 tile_k=16"},
    {"order_matters", "gemv k_first=no work_group_k=8"},
    {"one_side_plain", "pack from=R8x1C to=C1x8R"},
    {"image_is_plain", "pack from=C to=R8x1C image=yes"},
    {"whole_pixels", "pack from=C to=R image=yes"},
    {"vectors_fit", "pack from=C to=R tile_m=2 tile_n=2 vector_width=4"},
    {"body_is_bounded", "pack from=R to=C tile_m=16 tile_n=64"},
    {"local_is_shared_evenly", "pack from=C to=R tile_m=6 work_group_n=4 local=yes"},
    {"local_transposes", "pack from=R to=R local=yes work_group_m=8"},
    {"streaming_is_large", "pack to=C1x8R tile_n=8 vector_width=8 streaming=yes"},
    {"streaming_stores_vectors", "pack tile_n=2 vector_width=2 large=yes streaming=yes"},
    {"flat_is_one_line", "activation id_order=flat tile_m=2"},
    {"vectors_fit", "activation tile_m=4 vector_width=4"},
    {"body_is_bounded", "activation tile_m=16 tile_n=8"},
    {"exponential_is_called", "activation=relu exp=native"},
    {"driver_chooses_freely", "work_group_m=4 group_size=driver"},
    {"images_and_networks_have_type", "precision=d bias=n"},
    {"half_sums_need_half_type", "accumulate_k=2"},
    {"half_sums_need_half_type", "precision=d accumulate_k=all"},
    {"half_sums_need_half_type", "precision=h accumulate_k=2 bias=n"},
    {"half_sums_end_with_loops", "precision=h tile_k=4 accumulate_k=2"},
    {"half_sums_end_with_loops",
     "precision=h tile_k=4 accumulate_k=8 work_group_m=4 cache_block_k=16"},
    {"images_and_networks_have_type", "gemv precision=d activation=relu"},
    {"images_and_networks_have_type",
     "pack precision=d image=yes tile_m=4 tile_n=4 vector_width=4"},
    {"images_and_networks_have_type", "reduce precision=d bias=m"},
    {"images_and_networks_have_type", "activation precision=d"},
    {"images_and_networks_have_type", "softmax precision=d"},
};

void check_refused(const ParameterPoint& point, std::string_view rule) {
  const Rule* broken = broken_structural_rule(point);
  CHECK((broken == nullptr ? "valid" : broken->name) == rule);
  CHECK_THROWS_AS(emit(point), std::invalid_argument);
}

TEST_CASE("each structural rule rejects its point, and so does the emitter") {
  // No text describes a gemv kernel without a narrow dimension.
  GemvPoint square;
  square.narrow = Dimension::kNone;
  check_refused(square, "one_side_is_narrow");
  std::set<std::string_view> covered = {"one_side_is_narrow"};
  for (const Broken& b : kBroken) {
    INFO(b.point);
    check_refused(parse_point(b.point), b.rule);
    covered.insert(b.rule);
  }
  for (const Codelet codelet : kCodelets) {
    for (const Rule& rule : rules(codelet)) {
      INFO(rule.name << " needs a point that breaks it");
      CHECK((!rule.structural || covered.contains(rule.name)));
    }
  }
}

TEST_CASE("structural rules accept points just within their limits") {
  CHECK(verdict("") == "valid");
  CHECK(verdict("tile_n=8 vector_width=4") == "valid");
  CHECK(verdict("tile_k=8 vector_width=4 inner=dot") == "valid");
  CHECK(verdict("tile_k=8 vector_width=8 inner=partial") == "valid");
  CHECK(verdict("layout_b=C1x8R tile_n=8 vector_width=8") == "valid");
  CHECK(verdict("layout_a=R4x4R tile_k=4 edges=padded") == "valid");
  CHECK(verdict("layout_c=C") == "valid");
  CHECK(verdict("tile_k=4 work_group_n=8 cache_block_k=4") == "valid");
  CHECK(verdict("tile_m=4 work_group_m=4 assignment=offset") == "valid");
  CHECK(verdict("split_k=2") == "valid");
}

TEST_CASE("work-groups must satisfy the device's limits in each dimension") {
  CHECK(verdict("work_group_m=16 work_group_n=16") == "valid");
  CHECK(verdict("work_group_m=16 work_group_n=32") == "work_group_fits");
  // Dimension 0 counts along n, or along m with id_order=mn; dimension 1 allows at most 2 here.
  const SpaceLimits narrow = make_limits(256, {64, 2}, 128);
  CHECK(verdict("work_group_m=2 work_group_n=4", narrow) == "valid");
  CHECK(verdict("work_group_m=4 work_group_n=2", narrow) == "work_group_fits");
  CHECK(verdict("work_group_m=4 work_group_n=2 id_order=mn", narrow) == "valid");
}

TEST_CASE("local memory and images are limited by the device") {
  const std::string local = "tile_m=4 tile_n=4 work_group_m=8 work_group_n=8 cache_block_k=16 ";
  const std::string both = local + "local_a=yes local_b=yes";
  const std::string image = "op=TN tile_n=4 vector_width=4 image_b=yes";
  CHECK(verdict(both) == "local_memory_pays");
  SpaceLimits limits = kSmallLimits;
  limits.local_memory_is_dedicated = true;
  limits.local_memory_bytes = 2 * 16 * 32 * 4;
  CHECK(verdict(both, limits) == "valid");
  CHECK(verdict(both + " local_buffers=2", limits) == "local_memory_fits");
  CHECK(verdict(local + "local_a=yes local_buffers=2", limits) == "valid");
  CHECK(verdict(image, limits) == "images_exist");
  limits.image_support = true;
  CHECK(verdict(image, limits) == "valid");
  limits.group_floats = 64 * 16;
  CHECK(verdict(both, limits) == "fits_across_barriers");
}

int held(const char* point) {
  return num_floats(std::get<GemmPoint>(parse_point(point)));
}

TEST_CASE("the register estimate counts accumulators and operands") {
  CHECK(held("") == 3);
  // 16 accumulators and one k tile of both operands.
  CHECK(held("tile_m=4 tile_n=4 tile_k=4 vector_width=4") == 16 + 16 + 16);
  // Partial sums are vectors.
  CHECK(held("op=NT tile_m=2 tile_n=2 tile_k=8 vector_width=8 inner=partial") ==
        2 * 2 * 8 + 2 * 8 + 2 * 8);
  // Elements on the way to local memory: 8 x 4 rows of A times 16 k steps, divided among 64
  // work-items.
  CHECK(held("tile_m=4 tile_n=4 work_group_m=8 work_group_n=8 cache_block_k=16 local_a=yes") ==
        16 + 8 + 8);
  CHECK(verdict("tile_m=8 tile_n=16") == "fits_registers");
  CHECK(verdict("tile_m=8 tile_n=8") == "valid");
}

TEST_CASE("no codelet has vectors that are wider than the device supports") {
  SpaceLimits limits = kSmallLimits;
  limits.max_vector_width = 4;
  for (const char* text : {"gemm tile_n=8 vector_width=8", "gemv narrow=n tile_k=8 vector_width=8",
                           "pack tile_n=8 vector_width=8", "reduce vector_width=8",
                           "softmax vector_width=8", "activation tile_n=8 vector_width=8"}) {
    INFO(text);
    const ParameterPoint point = parse_point(text);
    CHECK(broken_rule(point, kSmallLimits) == nullptr);
    const Rule* broken = broken_rule(point, limits);
    REQUIRE(broken != nullptr);
    CHECK(broken->name == "vector_is_taken");
  }
}

TEST_CASE("half-precision sums end with a loop, and need half-precision arithmetic") {
  SpaceLimits limits = kSmallLimits;
  CHECK(verdict("precision=h accumulate_k=8", limits) == "half_arithmetic_exists");
  limits.half_arithmetic = true;
  for (const char* point :
       {"accumulate_k=8", "tile_k=4 accumulate_k=4", "tile_k=4 unroll_k=2 accumulate_k=32",
        "tile_k=4 work_group_m=4 cache_block_k=16 accumulate_k=4",
        "tile_k=4 work_group_m=4 cache_block_k=16 accumulate_k=16", "tile_k=16 accumulate_k=all"}) {
    INFO(point);
    CHECK(verdict(std::string("precision=h ") + point, limits) == "valid");
  }
}

TEST_CASE("structural rules do not depend on the device, and come first") {
  for (const Codelet codelet : kCodelets) {
    bool structural = true;
    std::set<std::string_view> names;
    for (const Rule& rule : rules(codelet)) {
      INFO(rule.name);
      CHECK((structural || !rule.structural));
      structural = rule.structural;
      CHECK(names.insert(rule.name).second);
      CHECK(rule.reason.size() > 20);
    }
  }
  CHECK(broken_structural_rule(parse_point("tile_m=16 tile_n=64")) == nullptr);
  CHECK(broken_structural_rule(parse_point("tile_n=6 vector_width=4")) != nullptr);
}

}  // namespace
}  // namespace tilewright
