#include "tuner/bench/point_bench.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "tuner/bench/point_choice.hpp"
#include "tuner/terminal/usage_error.hpp"

namespace tilewright {
namespace {

PointBenchReport sample_report() {
  PointBenchReport report;
  report.conditions.device = "Mali-T628";
  report.points = {"one", "two", "three", "four", "five", "six"};
  const Summary fast{13.65, 13.6, 13.7, 9};
  const std::vector<double> rounds = {13.6, 13.7};
  report.rows = {{{96, 96, 96},
                  {fast, fast, std::nullopt, fast, fast, fast},
                  {rounds, rounds, {}, rounds, rounds, rounds}},
                 {{192, 192, 192},
                  {fast, std::nullopt, std::nullopt, fast, fast, fast},
                  {rounds, {}, {}, rounds, rounds, rounds}}};
  report.missing = {"three: the device has no images", "two on 192x192x192: it hung"};
  report.in_part = {"one on 192x192x192: measured on 96 of its rows at a time"};
  return report;
}

TEST_CASE("the table has sizes for rows and points for columns, and says what is missing") {
  const std::string table = to_table(sample_report());
  CHECK(table.find("m x n x k                                one") == 0);
  CHECK(table.find("\n192x192x192") != std::string::npos);
  CHECK(table.find("13.7 (13.6-13.7)                          -") != std::string::npos);
  CHECK(table.find("\n\nm x n x k                                six\n") != std::string::npos);
  CHECK(
      table.find("\n- three: the device has no images\n- two on 192x192x192: it hung\n- one on ") !=
      std::string::npos);
}

TEST_CASE("the JSON says the same") {
  const auto json = nlohmann::json::parse(to_json(sample_report()));
  CHECK(json["device"] == "Mali-T628");
  CHECK(json["results"][1]["m"] == 192);
  CHECK(json["results"][1]["gflops"]["two"].is_null());
  CHECK(json["results"][0]["gflops"]["two"]["median"] == 13.65);
  CHECK(json["results"][0]["gflops"]["two"]["rounds"] == std::vector<double>{13.6, 13.7});
  CHECK(json["missing"].size() == 2);
}

TEST_CASE("points are chosen by name, or all of them") {
  const auto all = choose_points("all", "--points");
  CHECK(all.size() == named_points().size());
  CHECK(all[0].name == "scalarNN");
  const auto two = choose_points("morton-4-2,blockedNT,morton-4-2", "--points");
  REQUIRE(two.size() == 2);
  CHECK(two[0].name == "morton-4-2");
  CHECK(two[1].name == "blockedNT");
  CHECK_THROWS_AS(choose_points("blockedNT,nobody", "--points"), UsageError);
  CHECK_THROWS_AS(choose_points(",", "--points"), UsageError);
}

TEST_CASE("points are chosen as profiles write them, too") {
  const std::string text = "gemm tile_m=4 tile_n=8 vector_width=8";
  const auto chosen = choose_points("blockedNT," + text + "," + text, "--points");
  REQUIRE(chosen.size() == 2);
  CHECK(chosen[1].name == kernel_name(parse_point(text)));
  CHECK(chosen[1].point == parse_point(text));
  CHECK_THROWS_WITH(choose_points("gemm tile_m=no", "--points"),
                    Catch::Matchers::StartsWith("--points: "));
}

}  // namespace
}  // namespace tilewright
