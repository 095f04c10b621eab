#include "catch.hpp"
#include "text_rules.hpp"

namespace tilewright {
namespace {

TEST_CASE("an activation record has the launch facts of its kernel") {
  const KernelRecord record =
      emit(parse_point("activation tile_m=4 tile_n=2 vector_width=2 work_group_m=2 "
                       "work_group_n=8 id_order=mn bias=m activation=tanh"));
  CHECK(record.role == Role::kActivation);
  CHECK(record.tile == Tile{4, 2, 1});
  CHECK(record.work_group == std::array{2, 8});
  CHECK(record.id_order == IdOrder::kMN);
  CHECK(record.layout_a == Layout::R());
  CHECK(record.layout_c == record.layout_a);
  CHECK_FALSE(record.layout_b);
  CHECK(record.epilogue == Epilogue::kNone);
  CHECK(record.bias == Dimension::kM);
  CHECK(record.activation == Activation::kTanh);
  CHECK(record.local_bytes == 0);
}

TEST_CASE("activation kernels satisfy the rules for emitted text") {
  check_text_rules(Codelet::kActivation, 200);
}

TEST_CASE("invalid activation points are rejected with the name of the rule") {
  const auto broken = [](const char* text) -> std::string_view {
    const Rule* rule = broken_structural_rule(parse_point(text));
    return rule == nullptr ? "" : rule->name;
  };
  CHECK(broken("activation id_order=flat tile_m=2") == "flat_is_one_line");
  CHECK(broken("activation id_order=flat work_group_m=2") == "flat_is_one_line");
  CHECK(broken("activation tile_n=2 vector_width=4") == "vectors_fit");
  CHECK(broken("activation tile_m=4 vector_width=4") == "vectors_fit");
  CHECK(broken("activation tile_n=4 vector_width=4") == "");
  CHECK(broken("activation tile_m=16 tile_n=16 vector_width=2") == "body_is_bounded");
}

}  // namespace
}  // namespace tilewright
