// Tests which form of multiply-adds is chosen for given rates.
#include "tuner/journal/records/forms.hpp"

#include <algorithm>

#include "catch.hpp"

namespace tilewright {
namespace {

using enum MultiplyAdd;

DeviceRates rates(std::vector<MultiplyAddRate> multiply_adds) {
  DeviceRates rates;
  rates.multiply_adds = std::move(multiply_adds);
  return rates;
}

TEST_CASE("the fastest form of a width is chosen, and the simplest one of equal forms") {
  CHECK(best_forms(rates({{4, "expression", 50.0}, {4, "mad", 51.0}, {4, "fma", 100.0}})) ==
        Forms{{4, kFma}});
  CHECK(best_forms(rates({{4, "expression", 50.0}, {4, "mad", 98.5}, {4, "fma", 100.0}})) ==
        Forms{{4, kMad}});
  CHECK(best_forms(rates({{4, "expression", 98.5}, {4, "mad", 100.0}, {4, "fma", 99.0}})) ==
        Forms{{4, kExpression}});
}

TEST_CASE("a rate that is more than 2 % lower is not a tie") {
  CHECK(best_forms(rates({{4, "expression", 97.9}, {4, "mad", 100.0}})) == Forms{{4, kMad}});
  CHECK(best_forms(rates({{4, "expression", 98.1}, {4, "mad", 100.0}})) == Forms{{4, kExpression}});
}

TEST_CASE("the choice does not depend on the order of the rates") {
  std::vector<MultiplyAddRate> all = {{1, "expression", 9.9},
                                      {1, "mad", 10.0},
                                      {4, "fma", 40.0},
                                      {4, "mad", 39.9},
                                      {4, "expression", 1.0}};
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.gflops < b.gflops; });
  do {
    CHECK(best_forms(rates(all)) == Forms{{1, kExpression}, {4, kMad}});
  } while (std::next_permutation(all.begin(), all.end(),
                                 [](const auto& a, const auto& b) { return a.gflops < b.gflops; }));
}

TEST_CASE("forms that did not run are not chosen, and a width without rates has no choice") {
  CHECK(best_forms(rates({{2, "fma", 3.0}})) == Forms{{2, kFma}});
  CHECK(best_forms({}).empty());
}

TEST_CASE("forms with unknown names are not chosen") {
  CHECK(best_forms(rates({{4, "mad24", 100.0}, {4, "fma", 99.0}})) == Forms{{4, kFma}});
}

TEST_CASE("points get the form of their vector width, and dot() has none") {
  const Forms forms = {{1, kExpression}, {4, kMad}, {8, kFma}};
  const auto after = [&](const char* text) {
    return to_text(with_multiply_add_form(parse_point(text), forms));
  };
  CHECK(after("gemm tile_n=4 vector_width=4") ==
        to_text(parse_point("gemm tile_n=4 vector_width=4 multiply_add=mad")));
  CHECK(after("gemm tile_n=8 vector_width=8 multiply_add=mad") ==
        to_text(parse_point("gemm tile_n=8 vector_width=8 multiply_add=fma")));
  CHECK(after("gemm multiply_add=fma") == to_text(parse_point("gemm")));
  CHECK(after("gemm tile_n=16 vector_width=16") ==
        to_text(parse_point("gemm tile_n=16 vector_width=16")));
  const char* dot = "gemm tile_k=4 vector_width=4 inner=dot";
  CHECK(after(dot) == to_text(parse_point(dot)));
  CHECK(after("gemv vector_width=8 tile_k=8") ==
        to_text(parse_point("gemv vector_width=8 tile_k=8 multiply_add=fma")));
  CHECK(after("pack vector_width=4") == to_text(parse_point("pack vector_width=4")));
}

TEST_CASE(
    "each type of arithmetic has its own forms, and half precision is summed in single precision") {
  const DeviceRates all = rates({{4, "expression", 9.0},
                                 {4, "mad", 10.0},
                                 {4, "expression", 4.0, Precision::kDouble},
                                 {4, "fma", 5.0, Precision::kDouble},
                                 {4, "expression", 20.0, Precision::kHalf}});
  CHECK(best_forms(all) == Forms{{4, kMad}});
  CHECK(best_forms(all, Precision::kDouble) == Forms{{4, kFma}});
  CHECK(best_forms(all, Precision::kHalf) == Forms{{4, kExpression}});
  const auto form = [&](const std::string& type) {
    const auto point =
        with_multiply_add_form(parse_point("gemm tile_n=4 vector_width=4" + type), all);
    return std::get<GemmPoint>(point).multiply_add;
  };
  CHECK(form("") == kMad);
  CHECK(form(" precision=d") == kFma);
  CHECK(form(" precision=h") == kMad);
  CHECK(form(" precision=h accumulate_k=8") == kExpression);
}

TEST_CASE(
    "half-precision sums use the form of single precision if half precision was not measured") {
  const DeviceRates floats = rates({{4, "expression", 9.0}, {4, "mad", 10.0}});
  const auto point = with_multiply_add_form(
      parse_point("gemm tile_n=4 vector_width=4 precision=h accumulate_k=8"), floats);
  CHECK(std::get<GemmPoint>(point).multiply_add == kMad);
}

}  // namespace
}  // namespace tilewright
