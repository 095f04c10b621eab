#include "catch.hpp"
#include "text_rules.hpp"

namespace tilewright {
namespace {

TEST_CASE("a reduce record has the launch facts of its kernel") {
  const KernelRecord record =
      emit(parse_point("reduce vector_width=4 work_group_m=2 work_group_n=64 bias=m"));
  CHECK(record.role == Role::kReduce);
  CHECK(record.tile == Tile{1, 4, 1});
  CHECK(record.work_group == std::array{64, 2});
  CHECK(record.bias == Dimension::kM);
}

TEST_CASE("reduce kernels satisfy the rules for emitted text") {
  check_text_rules(Codelet::kReduce, 50);
}

}  // namespace
}  // namespace tilewright
