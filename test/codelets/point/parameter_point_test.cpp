#include "codelets/point/parameter_point.hpp"

#include <map>
#include <set>

#include "catch.hpp"
#include "codelets/space/space.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// Thousands of points from all parts of a codelet's space.
std::vector<ParameterPoint> random_points(Codelet codelet) {
  SpaceLimits limits;
  limits.max_work_group_size = 1024;
  limits.max_work_item_sizes = {1024, 1024};
  limits.register_floats = 256;
  limits.local_memory_bytes = 65536;
  limits.local_memory_is_dedicated = true;
  limits.image_support = true;
  const Space space(first_point(codelet), limits, {true, {}});
  std::mt19937_64 random(13);
  std::vector<ParameterPoint> points;
  for (int i = 0; i < 5000; ++i) points.push_back(space.draw(random).value());
  return points;
}

TEST_CASE("printing and parsing a point gives the same point, whatever its values", "[long]") {
  for (const Codelet codelet : kCodelets) {
    for (const Field& field : fields(codelet)) {
      for (std::size_t value = 0; value < field.values.size(); ++value) {
        ParameterPoint point = first_point(codelet);
        field.set(point, value);
        INFO(to_text(point));
        REQUIRE(field.index(point) == value);
        REQUIRE(field.text(point) == field.values[value]);
        REQUIRE(parse_point(to_text(point)) == point);
      }
    }
    for (const ParameterPoint& point : random_points(codelet)) {
      REQUIRE(parse_point(to_text(point)) == point);
    }
  }
}

TEST_CASE("the first value of every parameter is its default") {
  for (const Codelet codelet : kCodelets) {
    CHECK(point_codelet(first_point(codelet)) == codelet);
    for (const Field& field : fields(codelet)) {
      INFO(to_text(codelet) << " " << field.name);
      CHECK(field.index(first_point(codelet)) == 0);
    }
  }
}

TEST_CASE("names of parameters are unique, and so are the values of each") {
  for (const Codelet codelet : kCodelets) {
    std::set<std::string_view> names;
    for (const Field& field : fields(codelet)) {
      INFO(field.name);
      CHECK(names.insert(field.name).second);
      CHECK(std::set(field.values.begin(), field.values.end()).size() == field.values.size());
    }
  }
}

TEST_CASE(
    "the text of a point contains the codelet and the values that are not first, in the order of "
    "the table") {
  CHECK(to_text(ParameterPoint{}) == "gemm");
  CHECK(to_text(parse_point("tile_n=4 tile_m=2 layout_b=C")) ==
        "gemm layout_b=C tile_m=2 tile_n=4");
  CHECK(to_text(parse_point("gemv tile_wide=4")) == "gemv tile_wide=4");
}

TEST_CASE("parameters that are not named have their first values") {
  GemmPoint expected = gemm_point(Op::kTN);
  expected.tile_m = 4;
  CHECK(parse_point("tile_m=4 op=TN") == ParameterPoint(expected));
  CHECK(parse_point("gemm tile_m=4 layout_a=C") == ParameterPoint(expected));
  CHECK(parse_point("") == ParameterPoint{});
  CHECK(parse_point("pack") == ParameterPoint(PackPoint{}));
}

TEST_CASE("any layout can be named, whether it is listed or not") {
  const ParameterPoint point = parse_point("layout_a=R10x1C");
  CHECK(std::get<GemmPoint>(point).layout_a == *parse_layout("R 10 1 C"));
  CHECK(parse_point(to_text(point)) == point);
}

TEST_CASE("invalid parameter text is rejected with the name of the parameter") {
  const auto message = [](const char* text) -> std::string {
    try {
      parse_point(text);
    } catch (const ParameterError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK_THAT(message("tile_m=5"), ContainsSubstring("tile_m is '5'"));
  CHECK_THAT(message("op=XX"), ContainsSubstring("op is 'XX'"));
  CHECK_THAT(message("tile_m="), ContainsSubstring("tile_m is ''"));
  CHECK_THAT(message("tile_m"), ContainsSubstring("'tile_m' is not"));
  CHECK(message("tile_m=2 tile_m=2") == "tile_m is set twice");
  CHECK(message("tile_m=2x").find("tile_m is '2x'") == 0);
  CHECK(message("mwg=2").find("gemm has no parameter 'mwg'; it has precision, layout_a, ") == 0);
  CHECK(message("gemv tile_n=2")
            .find("gemv has no parameter 'tile_n'; it has precision, layout_a, ") == 0);
  CHECK(message("reduce op=NN").find("reduce has no parameter 'layout_a'") == 0);
  CHECK(message("layout_a=Q").find("layout_a is 'Q'") == 0);
}

TEST_CASE("points are ordered member by member, and the smaller point is the simpler one") {
  const ParameterPoint simple;
  const ParameterPoint wide = parse_point("tile_n=64");
  const ParameterPoint tall = parse_point("tile_m=2");
  CHECK(simple < wide);
  CHECK(wide < tall);  // tile_m comes before tile_n
  CHECK_FALSE(simple == wide);
}

TEST_CASE("a point without its bias and activation") {
  const auto without = [](const char* text) {
    return to_text(without_epilogue(parse_point(text)));
  };
  CHECK(without("gemm tile_m=4 bias=n activation=relu") == "gemm tile_m=4");
  CHECK(without("gemm bias=n tile_m=4") == "gemm tile_m=4");
  CHECK(without("gemm tile_m=4") == "gemm tile_m=4");
  CHECK(without("gemv bias=m activation=tanh") == "gemv");
  CHECK(without("softmax activation=log") == "softmax");
  CHECK(without("pack from=R to=C") == to_text(parse_point("pack from=R to=C")));
}

TEST_CASE("printing a point with an invalid value throws") {
  GemmPoint point;
  point.tile_m = 5;
  CHECK_THROWS_AS(to_text(ParameterPoint(point)), std::invalid_argument);
}

TEST_CASE("kernel names encode the parameters: different points have different names", "[long]") {
  std::map<std::string, ParameterPoint> named;
  for (const Codelet codelet : kCodelets) {
    for (const ParameterPoint& point : random_points(codelet)) {
      const auto [at, inserted] = named.emplace(kernel_name(point), point);
      INFO(at->first);
      REQUIRE(at->second == point);
    }
  }
  CHECK(kernel_name(ParameterPoint{}) == "sgemm_R_R_m1_n1");
}

}  // namespace
}  // namespace tilewright
