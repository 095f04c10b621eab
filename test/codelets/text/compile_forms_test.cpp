// Tests compile options and the variants of exp().
#include "codelets/text/compile_forms.hpp"

#include "catch.hpp"
#include "text_rules.hpp"

namespace tilewright {
namespace {

bool calls(const KernelRecord& record, const std::string& function) {
  return record.source.find(function + "(") != std::string::npos;
}

TEST_CASE("the first values of compile options do not change a record") {
  for (const Codelet codelet : kCodelets) {
    for (const Field& field : fields(codelet)) {
      if (!field.late) continue;
      INFO(to_text(codelet) << " " << field.name);
      CHECK(field.index(first_point(codelet)) == 0);
    }
  }
  const KernelRecord plain = emit(parse_point("op=NN work_group_n=8"));
  CHECK(plain.build_options.empty());
  CHECK(plain.name == "sgemm_R_R_m1_n1_wn8");
}

TEST_CASE("math is part of a record's build options and digest") {
  for (const char* codelet : {"gemm op=NN", "gemv", "activation", "softmax"}) {
    INFO(codelet);
    const auto with = [&](const char* math) {
      return emit(parse_point(std::string(codelet) + " math=" + math));
    };
    CHECK(with("exact").build_options.empty());
    CHECK(with("mad").build_options == "-cl-mad-enable");
    CHECK(with("fast").build_options == "-cl-fast-relaxed-math");
    CHECK(compute_digest(with("mad")) != compute_digest(with("exact")));
    CHECK(may_ignore_nan(with("fast")));
    CHECK_FALSE(may_ignore_nan(with("mad")));
  }
}

TEST_CASE("exp() has three variants in kernels that call it") {
  for (const char* point :
       {"gemm op=NN activation=sigmoid", "gemv activation=gelu_tanh", "reduce activation=softplus",
        "activation activation=sigmoid", "softmax", "softmax activation=log vector_width=4"}) {
    INFO(point);
    const auto with = [&](const char* form) {
      return emit(parse_point(std::string(point) + " exp=" + form));
    };
    CHECK(calls(with("exp"), "exp"));
    CHECK_FALSE(calls(with("exp"), "_exp"));
    CHECK(calls(with("native"), "native_exp"));
    CHECK(calls(with("half"), "half_exp"));
    CHECK(with("half").family == with("exp").family);
  }
  for (const char* activation : {"identity", "relu", "tanh", "elu", "gelu"}) {
    INFO(activation);
    const auto point = parse_point("activation exp=native activation=" + std::string(activation));
    CHECK(broken_structural_rule(point)->name == "exponential_is_called");
  }
}

TEST_CASE("the text does not depend on work-groups that the driver chooses") {
  const auto broken = [](const std::string& text) -> std::string_view {
    const Rule* rule = broken_structural_rule(parse_point(text + " group_size=driver"));
    return rule == nullptr ? "" : rule->name;
  };
  CHECK(broken("op=NN tile_m=4 tile_n=4 vector_width=4 unroll_k=4") == "");
  CHECK(broken("op=NN id_order=mn group_order=columns") == "");
  CHECK(broken("op=NN split_k=4") == "");
  for (const char* depends :
       {"work_group_m=2", "work_group_n=4", "work_group_k=2", "group_order=tiled", "id_order=mn"}) {
    INFO(depends);
    CHECK(broken("op=NN " + std::string(depends)) == "driver_chooses_freely");
  }
  CHECK(broken("gemv tile_wide=4 tile_k=4 vector_width=4") == "");
  CHECK(broken("gemv work_group_wide=4") == "driver_chooses_freely");
  CHECK(broken("gemv work_group_k=4") == "driver_chooses_freely");
  CHECK(broken("activation id_order=flat") == "");
  CHECK(broken("activation work_group_m=4") == "driver_chooses_freely");
}

}  // namespace
}  // namespace tilewright
