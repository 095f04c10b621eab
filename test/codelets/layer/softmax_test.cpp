#include "catch.hpp"
#include "text_rules.hpp"

namespace tilewright {
namespace {

TEST_CASE("a softmax record has the launch facts of its kernel") {
  const KernelRecord record =
      emit(parse_point("softmax vector_width=2 work_group_m=4 work_group_n=8"));
  CHECK(record.role == Role::kSoftmax);
  CHECK(record.tile == Tile{1, 2, 1});
  CHECK(record.work_group == std::array{8, 4});
  CHECK(record.layout_a == Layout::R());
  CHECK(record.layout_c == record.layout_a);
  CHECK(record.local_bytes == 4 * 8 * 4);
  CHECK(record.epilogue == Epilogue::kNone);
  CHECK(emit(parse_point("softmax work_group_m=64")).local_bytes == 0);
}

TEST_CASE("softmax kernels satisfy the rules for emitted text") {
  check_text_rules(Codelet::kSoftmax, 100);
}

TEST_CASE("only softmax kernels with several work-items per row have barriers") {
  for (const char* point : {"softmax vector_width=8 work_group_m=64", "softmax"}) {
    CHECK(emit(parse_point(point)).source.find("barrier") == std::string::npos);
  }
  CHECK(emit(parse_point("softmax work_group_n=2")).source.find("barrier") != std::string::npos);
}

TEST_CASE("invalid softmax points are rejected with the name of the rule") {
  SpaceLimits limits;
  limits.max_work_group_size = 256;
  limits.max_work_item_sizes = {256, 256};
  limits.local_memory_bytes = 512;
  limits.group_floats = 1024;
  const auto broken = [&](const char* text) -> std::string_view {
    const Rule* rule = broken_rule(parse_point(text), limits);
    return rule == nullptr ? "" : rule->name;
  };
  CHECK(broken("softmax work_group_n=64") == "");
  CHECK(broken("softmax work_group_m=4 work_group_n=64") == "local_memory_holds");
  CHECK(broken("softmax vector_width=8 work_group_n=128") == "fits_across_barriers");
  CHECK(broken("softmax work_group_m=256") == "");
  CHECK(broken("softmax work_group_m=2 work_group_n=256") == "work_group_fits");
}

}  // namespace
}  // namespace tilewright
