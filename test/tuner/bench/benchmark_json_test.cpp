#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "tuner/bench/benchmark.hpp"

namespace tilewright {
namespace {

TEST_CASE("the JSON of a benchmark has the documented form") {
  BenchReport report;
  report.conditions = {
      "Mali \"T628\"",    "ARM", "r12", "0.1.0", "2026-01-02T03:04:05Z", "bench -x",
      {"POCL_AFFINITY=1"}};
  report.profile = "built-in";
  report.profile_digest = "xxh3-0";
  report.rates.peak_gflops = 100.0;
  report.rates.copy_gbytes_per_s = 11.0;
  report.missing_rivals = {"clblast"};
  report.rival_details = {{"cblas", "two threads"}};
  report.results.push_back(
      {Op::kNT, {1, 2, 3}, "kernel", {10.0, 9.0, 11.0, 9}, {{"cblas", {5.0, 4.0, 6.0, 9}}}});
  report.results.back().operations = 12.0;
  report.results.back().launch_floor_ns = {0.6, 0.5, 0.7, 9};
  report.results.back().plans = {{"pack+kernel", 2e3, {12.0, 11.0, 13.0, 9}},
                                 {"kernel", std::nullopt, {10.0, 9.0, 11.0, 9}}};
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["device"] == "Mali \"T628\"");
  CHECK(json["platform"] == "ARM");
  CHECK(json["driver"] == "r12");
  CHECK(json["tool_version"] == "0.1.0");
  CHECK(json["date"] == "2026-01-02T03:04:05Z");
  CHECK(json["command"] == "bench -x");
  CHECK(json["environment"] == nlohmann::json{"POCL_AFFINITY=1"});
  CHECK(json["profile"] == "built-in");
  CHECK(json["profile_digest"] == "xxh3-0");
  CHECK(json["rates"] == nlohmann::json{{"peak_gflops", 100.0}, {"copy_gbytes_per_s", 11.0}});
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
  CHECK(result["samples"] == 9);
  // 12 flops at 10 GFLOPS are 1.2 ns, of which 0.6 are the launch.
  CHECK(result["launch_floor_us"]["median"] == Approx(0.6e-3));
  CHECK(result["launch_share"] == Approx(0.5));
  // 12 flops, 44 bytes.
  CHECK(result["roofline_gflops"] == Approx(3.0));
  REQUIRE(result["plans"].size() == 2);
  CHECK(result["plans"][0]["kernel"] == "pack+kernel");
  CHECK(result["plans"][0]["predicted_us"] == 2.0);
  CHECK(result["plans"][0]["gflops"]["median"] == 12.0);
  CHECK(result["plans"][1]["predicted_us"].is_null());
  CHECK(result["rivals"]["cblas"] ==
        nlohmann::json{{"median", 5.0}, {"low", 4.0}, {"high", 6.0}, {"ratio", 2.0}});
}

TEST_CASE("launch shares are 1 at most, and ratios above 1 where tilewright is faster") {
  BenchResult result;
  result.operations = 12.0;
  result.gflops = {10.0, 9.0, 11.0, 9};
  result.launch_floor_ns = {2.5, 2.4, 2.6, 9};  // a call takes 1.2
  CHECK(result.launch_share() == 1.0);
  result.rivals = {{"slow", {5.0, 4.0, 6.0, 9}}, {"fast", {40.0, 39.0, 41.0, 9}}, {"dead", {}}};
  CHECK(*result.ratio("slow") == Approx(2.0));
  CHECK(*result.ratio("fast") == Approx(0.25));
  CHECK_FALSE(result.ratio("dead"));
  CHECK_FALSE(result.ratio("nobody"));
}

TEST_CASE("rates are of the type that was asked for") {
  BenchReport report;
  report.rates.peak_gflops = 100.0;
  report.rates.multiply_adds = {{4, "mad", 100.0}, {4, "mad", 5.0, Precision::kDouble}};
  report.rates.double_peak_gflops = 5.0;
  report.rates.copy_gbytes_per_s = 1e6;
  report.results.push_back({Op::kNN, {8, 8, 8}, "kernel", {10.0, 9.0, 11.0, 9}, {}});
  const auto json = [&](Precision precision) {
    report.precision = precision;
    return nlohmann::json::parse(to_json(report));
  };
  const auto doubles = json(Precision::kDouble);
  // Raised by what was measured.
  CHECK(doubles["rates"]["peak_gflops"] == 10.0);
  CHECK(doubles["rates"]["peak_is_lower_bound"] == true);
  CHECK(doubles["results"][0]["roofline_gflops"] == 10.0);
  const auto halfs = json(Precision::kHalf);
  CHECK(halfs["rates"]["peak_gflops"] == 100.0);
  CHECK_FALSE(halfs["rates"].contains("peak_is_lower_bound"));
  CHECK(halfs["results"][0]["roofline_gflops"] == 100.0);
}

TEST_CASE("what is not known is left out, or null") {
  BenchReport report;
  report.results.push_back({Op::kNN, {8, 8, 8}, "kernel", {10.0, 9.0, 11.0, 9}, {}});
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["rates"].empty());
  CHECK_FALSE(json["results"][0].contains("roofline_gflops"));
  CHECK_FALSE(json["results"][0].contains("plans"));
}

}  // namespace
}  // namespace tilewright
