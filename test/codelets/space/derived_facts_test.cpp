// Tests the comparison of launch facts with those of the parameter point that the record names.
#include "codelets/space/derived_facts.hpp"

#include <functional>
#include <set>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "profiles/profile_text.hpp"

namespace tilewright {
namespace {

TEST_CASE("the launch facts of all shipped profiles match their parameter points") {
  for (const char* name : {"generic", "nvidia-h100", "nvidia-h200", "pocl-amd-epyc-avx512"}) {
    for (const KernelRecord& kernel :
         load_profile(std::string(TILEWRIGHT_DATA "/") + name + ".toml").kernels) {
      INFO(name << ": " << kernel.name);
      const auto differences = compare_with_point(kernel);
      if (!differences) {  // activation and softmax kernels no longer have other layouts
        CHECK((kernel.role == Role::kActivation || kernel.role == Role::kSoftmax));
        CHECK_FALSE(kernel.layout_c == Layout::R());
        continue;
      }
      for (const FactDifference& each : *differences) {
        FAIL_CHECK(each.key << " is " << each.value << ", not " << each.expected);
      }
    }
  }
}

struct Edit {
  const char* point;
  const char* key;
  std::function<void(KernelRecord&)> edit;
};

TEST_CASE("every edited launch fact is reported with the value that the point implies") {
  const char* gemm = "tile_m=4 tile_n=4 tile_k=4 vector_width=4 work_group_m=8 work_group_n=8";
  const char* pack = "pack from=R to=C tile_m=4 tile_n=4 work_group_m=8 work_group_n=8";
  const Edit edits[] = {
      {pack, "id_order", [](KernelRecord& r) { r.id_order = IdOrder::kMN; }},
      {gemm, "id_order", [](KernelRecord& r) { r.id_order = IdOrder::kMN; }},
      {"activation work_group_n=64", "id_order",
       [](KernelRecord& r) { r.id_order = IdOrder::kFlat; }},
      {"reduce", "work_group",
       [](KernelRecord& r) {
         r.work_group = {2, 2};
       }},
      {"gemm work_group_k=4", "work_group", [](KernelRecord& r) { r.work_group_k = 2; }},
      {"gemm split_k=4", "split_k", [](KernelRecord& r) { r.split_k = 2; }},
      {"gemm stream_k=2", "stream_k", [](KernelRecord& r) { r.stream_k = 1; }},
      {gemm, "batched", [](KernelRecord& r) { r.batched = false; }},
      {"softmax work_group_n=8", "local_bytes", [](KernelRecord& r) { r.local_bytes = 0; }},
      {gemm, "tile", [](KernelRecord& r) { r.tile.m = 2; }},
      {"gemv tile_narrow=4", "narrow", [](KernelRecord& r) { r.narrow = Dimension::kM; }},
      {pack, "layout_a", [](KernelRecord& r) { r.layout_a = Layout::C(); }},
      {gemm, "layout_b", [](KernelRecord& r) { r.layout_b.reset(); }},
      {pack, "layout_c", [](KernelRecord& r) { r.layout_c = Layout::R(); }},
      {pack, "images", [](KernelRecord& r) { r.images.c = true; }},
      {gemm, "edges", [](KernelRecord& r) { r.edges = Edges::kPadded; }},
      {gemm, "multiples",
       [](KernelRecord& r) {
         r.multiples = {4, 4, 4};
       }},
      {gemm, "alignment", [](KernelRecord& r) { r.alignment = 4; }},
      {gemm, "any_c", [](KernelRecord& r) { r.any_c = true; }},
      {gemm, "build_options", [](KernelRecord& r) { r.build_options = "-cl-mad-enable"; }},
      {gemm, "bias", [](KernelRecord& r) { r.bias = Dimension::kN; }},
      {gemm, "activation", [](KernelRecord& r) { r.activation = Activation::kRelu; }},
      {gemm, "precision", [](KernelRecord& r) { r.precision = Precision::kHalf; }},
      {gemm, "accumulate_k", [](KernelRecord& r) { r.accumulate_k = 8; }},
  };
  for (const Edit& each : edits) {
    INFO(each.point << ": " << each.key);
    KernelRecord record = emit(parse_point(each.point));
    REQUIRE(compare_with_point(record).value().empty());
    each.edit(record);
    const auto differences = compare_with_point(record);
    REQUIRE(differences);
    REQUIRE(differences->size() == 1);
    CHECK(differences->front().key == each.key);
    CHECK(differences->front().value != differences->front().expected);
  }
}

TEST_CASE("a record whose point cannot be emitted is not compared") {
  for (const char* point : {"", "written by hand", "gemm tile_m=3000", "gemm of=tomorrow"}) {
    KernelRecord record = emit(parse_point("gemm"));
    record.point = point;
    CHECK_FALSE(compare_with_point(record));
  }
}

}  // namespace
}  // namespace tilewright
