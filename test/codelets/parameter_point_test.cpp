#include "codelets/parameter_point.hpp"

#include <set>

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("a point survives printing and parsing, whatever its values") {
  for (const Field& field : fields()) {
    for (const FieldValue& value : field.values) {
      ParameterPoint point;
      field.set(point, value.value);
      REQUIRE(parse_point(to_text(point)) == point);
      REQUIRE(field.get(parse_point(to_text(point))) == value.value);
    }
  }
}

TEST_CASE("text names every parameter once, in the table's order") {
  CHECK(to_text(ParameterPoint{}) ==
        "op=NN tile_m=1 tile_n=1 tile_k=1 vector_width=1 work_group_m=1 work_group_n=1 id_order=nm "
        "inner=outer multiply_add=expression");
}

TEST_CASE("parameters that are not named keep their defaults") {
  ParameterPoint expected;
  expected.tile_m = 4;
  expected.op = Op::kTN;
  CHECK(parse_point("tile_m=4 op=TN") == expected);
  CHECK(parse_point("") == ParameterPoint{});
}

TEST_CASE("bad parameter text is refused with the parameter's name") {
  const auto message = [](const char* text) -> std::string {
    try {
      parse_point(text);
    } catch (const ParameterError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(message("tile_m=5") == "tile_m cannot be '5'; it may be 1, 2, 3, 4, 6, 8, 12, 16");
  CHECK(message("op=TT") == "op cannot be 'TT'; it may be NN, NT, TN");
  CHECK(message("tile_m=") == "tile_m cannot be ''; it may be 1, 2, 3, 4, 6, 8, 12, 16");
  CHECK(message("tile_m") == "'tile_m' is not of the form name=value");
  CHECK(message("tile_m=2 tile_m=2") == "tile_m is set twice");
  CHECK(message("tile_m=2x").find("tile_m cannot be '2x'") == 0);
  CHECK(message("mwg=2").find("no parameter is named 'mwg'; there are op, tile_m") == 0);
}

TEST_CASE("points are ordered field by field, by place among the values") {
  const ParameterPoint simple;
  ParameterPoint wide = simple;
  wide.tile_n = 64;
  ParameterPoint tall = simple;
  tall.tile_m = 2;
  CHECK(simple < wide);
  CHECK(wide < tall);  // tile_m comes before tile_n
  CHECK(simple == ParameterPoint{});
  CHECK_FALSE(simple == wide);
}

TEST_CASE("a value that a field does not have is not compared or printed, but refused") {
  ParameterPoint point;
  point.tile_m = 5;
  CHECK_THROWS_AS(to_text(point), std::invalid_argument);
}

TEST_CASE("kernel names are coordinates: different points, different names") {
  std::set<std::string> names;
  std::size_t points = 0;
  for (const Field& field : fields()) {
    for (const FieldValue& value : field.values) {
      ParameterPoint point;
      point.tile_m = 4;
      point.tile_n = 8;
      field.set(point, value.value);
      names.insert(kernel_name(point));
      ++points;
    }
  }
  // Every field of the table that holds its base value again gives the base name.
  CHECK(names.size() == points - (fields().size() - 1));
  CHECK(kernel_name(ParameterPoint{}) == "sgemm_nn_1x1x1_v1_wg1x1_nm_outer_expression");
}

}  // namespace
}  // namespace tilewright
