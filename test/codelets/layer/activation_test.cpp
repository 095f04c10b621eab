#include "catch.hpp"
#include "text_rules.hpp"

namespace tilewright {
namespace {

TEST_CASE("an activation record has the launch facts of its kernel") {
  const KernelRecord record =
      emit(parse_point("activation layout=C4x4C tile_m=4 tile_n=2 vector_width=4 work_group_m=2 "
                       "work_group_n=8 id_order=mn bias=m activation=tanh"));
  CHECK(record.role == Role::kActivation);
  CHECK(record.tile == Tile{4, 2, 1});
  CHECK(record.work_group == std::array{2, 8});
  CHECK(record.id_order == IdOrder::kMN);
  CHECK(record.layout_a == *parse_layout("C4x4C"));
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
  CHECK(broken("activation id_order=flat layout=R4x4R bias=n") == "flat_bias_repeats");
  CHECK(broken("activation id_order=flat layout=C bias=n") == "");
  CHECK(broken("activation tile_n=2 vector_width=4") == "vectors_fit");
  CHECK(broken("activation layout=C tile_n=4 vector_width=4") == "vectors_fit");
  CHECK(broken("activation layout=C tile_m=4 vector_width=4") == "");
  // Runs of four elements.
  CHECK(broken("activation layout=R4x4R tile_n=8 vector_width=8") == "vectors_fit");
  CHECK(broken("activation layout=R4x4R tile_n=8 vector_width=8 id_order=flat") == "");
  CHECK(broken("activation tile_m=16 tile_n=16 vector_width=2") == "body_is_bounded");
}

}  // namespace
}  // namespace tilewright
