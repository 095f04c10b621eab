#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "tuner/benchmark.hpp"

namespace tilewright {
namespace {

TEST_CASE("the JSON of a benchmark has the documented form") {
  BenchReport report{
      "Mali \"T628\"", "ARM", "built-in", {"clblast"}, {{"cblas", "two threads"}}, {}};
  report.results.push_back(
      {Op::kNT, {1, 2, 3}, "kernel", {10.0, 9.0, 11.0, 9}, {{"cblas", {5.0, 4.0, 6.0, 9}}}});
  report.results.back().ways = {{"pack+kernel", 2e3, {12.0, 11.0, 13.0, 9}},
                                {"kernel", std::nullopt, {10.0, 9.0, 11.0, 9}}};
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["device"] == "Mali \"T628\"");
  CHECK(json["profile"] == "built-in");
  CHECK(json["missing_rivals"] == std::vector<std::string>{"clblast"});
  CHECK(json["rival_details"]["cblas"] == "two threads");
  REQUIRE(json["results"].size() == 1);
  const auto& result = json["results"][0];
  CHECK(result["op"] == "NT");
  CHECK(result["m"] == 1);
  CHECK(result["n"] == 2);
  CHECK(result["k"] == 3);
  CHECK(result["kernel"] == "kernel");
  CHECK(result["gflops"] == nlohmann::json{{"median", 10.0}, {"low", 9.0}, {"high", 11.0}});
  REQUIRE(result["ways"].size() == 2);
  CHECK(result["ways"][0]["kernel"] == "pack+kernel");
  CHECK(result["ways"][0]["predicted_us"] == 2.0);
  CHECK(result["ways"][0]["gflops"]["median"] == 12.0);
  CHECK(result["ways"][1]["predicted_us"].is_null());
  CHECK(result["rivals"]["cblas"] == nlohmann::json{{"median", 5.0}, {"low", 4.0}, {"high", 6.0}});
}

}  // namespace
}  // namespace tilewright
