// Tests the text and the JSON of reports on points and on packing, without a device.
#include <nlohmann/json.hpp>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "made_figures.hpp"
#include "tuner/bench/bench_report.hpp"
#include "tuner/bench/kernel_bench.hpp"

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
  CHECK_THAT(heading(report), ContainsSubstring("of the kernel's device time on operands"));
  const std::string block = to_text(report, report.results[1]);
  CHECK_THAT(block, ContainsSubstring("\n192x192x192\n") && ContainsSubstring("GFLOPS\n") &&
                        ContainsSubstring("12.0 (10.0-13.3)\n") && ContainsSubstring("-\n"));
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

BenchReport packs() {
  BenchReport report;
  report.kind = BenchKind::kPacks;
  report.conditions.device = "Mali-T628";
  report.rates.copy_gbytes_per_s = 5.0;
  BenchResult small;
  small.shape = {1000, 1000, 1};
  small.figures = {figure(FigureKind::kKernel, "pack_R_C", 240.0, samples(40.0, 40.0, 48.0)),
                   figure(FigureKind::kCopy, "copy", 240.0, samples(30.0, 30.0, 32.0))};
  BenchResult large;
  large.shape = {4032, 4032, 1};
  large.figures = {figure(FigureKind::kKernel, "pack_R_C", 240.0, samples(60.0, 60.0, 60.0))};
  report.results = {small, large};
  report.missing = {"pack_C_R: it hung"};
  return report;
}

TEST_CASE("an element that is packed is read once and written once") {
  CHECK(pack_gbytes_per_s(2.0) == 4.0);
  CHECK(pack_gbytes_per_s(0.0) == 0.0);
}

TEST_CASE(
    "the text for packing has shares of the measured copy and of the profile's copy bandwidth") {
  const BenchReport report = packs();
  const std::string small = to_text(report, report.results[0]);
  CHECK_THAT(small,
             ContainsSubstring("1000x1000: 4 MB read and the same amount written; a copy of this "
                               "size: 8 (7.5-8)"));
  CHECK_THAT(small,
             ContainsSubstring("pack_R_C") && ContainsSubstring("6 (5-6)        75       120"));
  CHECK_THAT(to_text(report, report.results[1]), ContainsSubstring("4 (4-4)         -        80"));
  CHECK_THAT(footer(report), ContainsSubstring("\n- pack_C_R: it hung\n"));
}

TEST_CASE("the JSON for packing has the same form") {
  const auto json = Json::parse(to_json(packs()));
  CHECK(json["kind"] == "packs");
  CHECK(json["conditions"]["rates"]["copy_gbytes_per_s"] == 5.0);
  CHECK(json["conditions"]["rate_unit"] == "GB/s");
  REQUIRE(json["results"].size() == 2);
  CHECK(json["results"][0]["rows"] == 1000);
  CHECK(json["results"][0]["columns"] == 1000);
  CHECK(figure_in(json["results"][0], "copy", "copy")["rate"]["median"] == 8.0);
  const Json pack = figure_in(json["results"][0], "kernel", "pack_R_C");
  CHECK(pack["rate"]["low"] == 5.0);
  CHECK(pack["copy_share"] == 0.75);
  CHECK_FALSE(figure_in(json["results"][1], "kernel", "pack_R_C").contains("copy_share"));
  CHECK(json["missing"] == Json{"pack_C_R: it hung"});
}

}  // namespace
}  // namespace tilewright
