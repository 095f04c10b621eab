// Tests the text and the JSON of reports on points, without a device.
#include <nlohmann/json.hpp>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "made_figures.hpp"
#include "tuner/bench/bench_report.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

BenchReport points() {
  BenchReport report;
  report.kind = BenchKind::kPoints;
  report.conditions.device = "Mali-T628";
  report.competitors = {"one", "two"};
  for (const std::int64_t extent : {96, 192}) {
    BenchResult result;
    result.shape = {extent, extent, extent};
    const std::vector<double> fast_ns = samples(9.0, 10.0, 12.0);
    result.figures = {
        figure(FigureKind::kKernel, "one", 120.0, fast_ns),
        figure(FigureKind::kKernel, "two", 120.0, extent == 96 ? fast_ns : std::vector<double>())};
    report.results.push_back(result);
  }
  report.missing = {"two on 192x192x192: it hung"};
  report.in_part = {"one on 192x192x192: measured on 96 of its rows at a time"};
  return report;
}

TEST_CASE("the text for points has a block per size, and lists what is missing") {
  const BenchReport report = points();
  CHECK_THAT(heading(report), ContainsSubstring("of the kernel's device time"));
  const std::string block = to_text(report, report.results[1]);
  CHECK_THAT(block, ContainsSubstring("\n192x192x192\n") && ContainsSubstring("GFLOPS\n") &&
                        ContainsSubstring("12.0 (10-13)\n") && ContainsSubstring("-\n"));
  CHECK_THAT(footer(report), ContainsSubstring("\n- two on 192x192x192: it hung\n- one on "));
}

TEST_CASE("the JSON for points has the same form, with all samples") {
  const auto json = Json::parse(to_json(points()));
  CHECK(json["kind"] == "points");
  CHECK(json["conditions"]["device"] == "Mali-T628");
  CHECK(json["conditions"]["timing"] == "device time of the kernel alone");
  CHECK_FALSE(json["conditions"].contains("profile"));
  CHECK(json["results"][1]["m"] == 192);
  CHECK(figure_in(json["results"][1], "kernel", "two")["us"].is_null());
  const Json two = figure_in(json["results"][0], "kernel", "two");
  CHECK(two["rate"]["median"] == Approx(12.0));
  CHECK(two["samples"] == 9);
  REQUIRE(two["samples_us"].size() == 9);
  CHECK(two["samples_us"][8] == Approx(12e-3));
  CHECK(json["missing"].size() == 1);
  CHECK(json["in_part"].size() == 1);
}

}  // namespace
}  // namespace tilewright
