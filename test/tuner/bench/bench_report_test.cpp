// Tests the text and the JSON of reports on products, without a device.
#include "tuner/bench/bench_report.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "made_figures.hpp"
#include "tuner/bench/bench_energy.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// A product of 1 x 2 x 3 with 12 flops at 10 GFLOPS, a competitor at 5 GFLOPS, and two plans.
BenchReport products() {
  BenchReport report;
  report.conditions = {
      "Mali \"T628\"",    "", "ARM", "r12", "0.1.0", "2026-01-02T03:04:05Z", "bench -x",
      {"POCL_AFFINITY=1"}};
  report.profile = "built-in";
  report.profile_digest = "xxh3-0";
  report.rates.peak_gflops = 100.0;
  report.rates.copy_gbytes_per_s = 11.0;
  report.competitors = {"cblas", "clblast"};
  report.not_here = {{"clblast", "it is not installed"}};
  report.details = {{"cblas", "two threads"}};
  report.waits = {45, 2, 0.11};
  BenchResult result;
  result.op = Op::kNT;
  result.shape = {1, 2, 3};
  BenchFigure own = figure(FigureKind::kOwn, "tilewright", 12.0, samples(1.0, 1.2, 1.5));
  own.kernels = {"pack", "kernel"};
  BenchFigure plan = figure(FigureKind::kPlan, "pack+kernel", 12.0, samples(1.0, 1.0, 1.0));
  plan.predicted_ns = 2e3;
  result.figures = {own, figure(FigureKind::kCompetitor, "cblas", 12.0, samples(2.0, 2.4, 3.0)),
                    plan, figure(FigureKind::kPlan, "kernel", 12.0, samples(1.2, 1.2, 1.2)),
                    figure(FigureKind::kLaunchFloor, "launch floor", 0.0, samples(0.5, 0.6, 0.7))};
  result.left_out = {"slow (900 ms)"};
  report.results.push_back(result);
  return report;
}

using Json = nlohmann::json;

// With energy of tilewright and cblas: 12 flops at 20 W and 40 W.
BenchReport metered_products() {
  BenchReport report = products();
  report.energy.is_asked = true;
  report.energy.sensors = {{"rapl package-0", "CPU package-0", "/sys/energy_uj", true}};
  report.energy.idle_w = {8.0, 9.0, 10.0};
  report.energy.sample_s = 1.0;
  std::vector<BenchFigure>& figures = report.results[0].figures;
  figures[0].samples_j = {2.4e-8, 2.4e-8, 2.4e-8};
  figures[0].samples_w = {19.0, 20.0, 21.0};
  figures[1].samples_j = {9.6e-8, 9.6e-8, 9.6e-8};
  figures[1].samples_w = {40.0, 40.0, 40.0};
  return report;
}

TEST_CASE("the text has watts, joules and GFLOPS/W, the sensor and the idle power") {
  const BenchReport report = metered_products();
  const std::string row = to_text(report, report.results[0]);
  CHECK_THAT(row, ContainsSubstring("  energy: 20 (19.2-20.8) W, 0.024 (0.024-0.024) uJ, 0.5 "
                                    "(0.5-0.5) GFLOPS/W  tilewright\n"));
  CHECK_THAT(row, ContainsSubstring("0.125 (0.125-0.125) GFLOPS/W  cblas\n"));
  const std::string end = footer(report);
  CHECK_THAT(end, ContainsSubstring("energy sensor: rapl package-0, energy counter; covers CPU "
                                    "package-0\nidle power: 9 (8.2-9.8) W"));
  CHECK_THAT(end, ContainsSubstring("for at least 1 s and ten changes of the counter"));
  CHECK(footer(products()).find("energy") == std::string::npos);
}

TEST_CASE("the text says in one sentence why energy is not measured") {
  BenchReport report = products();
  report.energy.is_asked = true;
  report.energy.missing = "no energy sensor covers this device (Mali)";
  CHECK_THAT(footer(report), ContainsSubstring("energy is not measured: no energy sensor covers "
                                               "this device (Mali)\n"));
  const auto json = Json::parse(to_json(report));
  CHECK_THAT(json["conditions"]["energy"]["missing"], ContainsSubstring("no energy sensor"));
}

TEST_CASE("the JSON has the energy of each figure and the sensors") {
  const auto json = Json::parse(to_json(metered_products()));
  const Json& energy = json["conditions"]["energy"];
  CHECK(energy["sensors"] == Json{{{"name", "rapl package-0"},
                                   {"covers", "CPU package-0"},
                                   {"source", "/sys/energy_uj"},
                                   {"measures", "energy"}}});
  CHECK(energy["idle_watts"]["median"] == 9.0);
  CHECK(energy["min_sample_s"] == 1.0);
  const Json own = figure_in(json["results"][0], "tilewright")["energy"];
  CHECK(own["samples"] == 3);
  CHECK(own["watts"]["median"] == 20.0);
  CHECK(own["joules"]["median"] == Approx(2.4e-8));
  CHECK(own["gflops_per_watt"]["median"] == Approx(0.5));
  CHECK_FALSE(figure_in(json["results"][0], "launch_floor").contains("energy"));
  CHECK_FALSE(Json::parse(to_json(products()))["conditions"].contains("energy"));
}

TEST_CASE("the estimate of the time for energy counts products, competitors and the idle power") {
  CHECK_THAT(energy_estimate(24, 2, 0.5, false), ContainsSubstring("about 122.5 s"));
  CHECK_THAT(energy_estimate(1, 1, 1.0, true),
             ContainsSubstring("about 10 s") && ContainsSubstring("5 s more"));
}

TEST_CASE("the report of a CPU names its processor") {
  BenchReport report = products();
  report.conditions.processor = "AuthenticAMD family 25 model 17";
  CHECK(Json::parse(to_json(report))["conditions"]["processor"] ==
        "AuthenticAMD family 25 model 17");
}

TEST_CASE("the JSON for products has the documented form") {
  const auto json = Json::parse(to_json(products()));
  CHECK(json["kind"] == "products");
  const Json& conditions = json["conditions"];
  CHECK(conditions["device"] == "Mali \"T628\"");
  CHECK_FALSE(conditions.contains("processor"));
  CHECK(conditions["platform"] == "ARM");
  CHECK(conditions["driver"] == "r12");
  CHECK(conditions["tool_version"] == "0.1.0");
  CHECK(conditions["date"] == "2026-01-02T03:04:05Z");
  CHECK(conditions["command"] == "bench -x");
  CHECK(conditions["environment"] == Json{"POCL_AFFINITY=1"});
  CHECK(conditions["precision"] == "s");
  CHECK(conditions["profile"] == "built-in");
  CHECK(conditions["profile_digest"] == "xxh3-0");
  CHECK(conditions["rates"] == Json{{"peak_gflops", 100.0}, {"copy_gbytes_per_s", 11.0}});
  CHECK(conditions["timing"] == "wall time of one call to its finished C");
  CHECK(conditions["rate_unit"] == "GFLOPS");
  CHECK(conditions["idle_waits"] ==
        Json{{"samples", 45}, {"longest_ms", 110.0}, {"limit_ms", 500.0}, {"not_idle", 2}});
  CHECK(json["competitors"] == Json{{{"name", "cblas"}, {"details", "two threads"}},
                                    {{"name", "clblast"}, {"missing", "it is not installed"}}});
  REQUIRE(json["results"].size() == 1);
  const auto& result = json["results"][0];
  CHECK(result["op"] == "NT");
  CHECK(result["m"] == 1);
  CHECK(result["n"] == 2);
  CHECK(result["k"] == 3);
  // 12 flops at 10 GFLOPS take 1.2 ns; the launch takes 0.6 ns of them.
  CHECK(result["launch_share"] == Approx(0.5));
  // 12 flops, 44 bytes.
  CHECK(result["roofline_gflops"] == Approx(3.0));
  CHECK(result["left_out"] == std::vector<std::string>{"slow (900 ms)"});
  const Json own = figure_in(result, "tilewright", "tilewright");
  CHECK(own["kernels"] == std::vector<std::string>{"pack", "kernel"});
  CHECK(own["work"] == 12.0);
  CHECK(own["samples"] == 9);
  CHECK(own["us"]["low"] == Approx(1.0e-3));
  CHECK(own["us"]["median"] == Approx(1.2e-3));
  CHECK(own["us"]["high"] == Approx(1.5e-3));
  CHECK(own["rate"]["median"] == Approx(10.0));
  CHECK(own["rate"]["low"] == Approx(8.0));
  CHECK(own["rate"]["high"] == Approx(12.0));
  CHECK(own["peak_share"] == Approx(0.1));
  const Json cblas = figure_in(result, "competitor", "cblas");
  CHECK(cblas["rate"]["median"] == Approx(5.0));
  CHECK(cblas["ratio"] == Approx(2.0));
  CHECK(figure_in(result, "plan", "pack+kernel")["predicted_us"] == 2.0);
  CHECK(figure_in(result, "plan", "pack+kernel")["rate"]["median"] == 12.0);
  CHECK_FALSE(figure_in(result, "plan", "kernel").contains("predicted_us"));
  CHECK(figure_in(result, "launch_floor", "launch floor")["us"]["median"] == Approx(0.6e-3));
}

TEST_CASE("the text for products has a row per product and a column per competitor") {
  BenchReport report = products();
  report.verbose = true;
  CHECK_THAT(heading(report), ContainsSubstring("SGEMM on Mali \"T628\" (ARM)") &&
                                  ContainsSubstring("tilewright") && ContainsSubstring("clblast"));
  const std::string row = to_text(report, report.results[0]);
  CHECK_THAT(row, ContainsSubstring("NT 1x2x3") && ContainsSubstring("10.0 (8.0-12)") &&
                      ContainsSubstring("5.0 (4.0-6.0)  2.00") &&
                      ContainsSubstring("-     -  launch 50 %  pack+kernel\n") &&
                      ContainsSubstring("  plan") && ContainsSubstring("12.0 (12-12)  pack") &&
                      ContainsSubstring("slow (900 ms)"));
  CHECK_THAT(
      footer(report),
      ContainsSubstring("profile: built-in\n") && ContainsSubstring("cblas: two threads\n") &&
          ContainsSubstring("clblast is missing") && ContainsSubstring("0.0006 to 0.0006 us") &&
          ContainsSubstring("within 110 ms") && ContainsSubstring("2 of 45 samples"));
}

TEST_CASE("without competitors the text has a row for each shape and a column for each op") {
  BenchReport report = products();
  report.competitors = {};
  report.op_columns = {Op::kNN, Op::kNT, Op::kTN};
  const BenchResult first = report.results[0];  // NT 1x2x3
  report.results.clear();
  std::string text = heading(report);
  const auto add = [&](Op op, GemmShape shape) {
    report.results.push_back(first);
    report.results.back().op = op;
    report.results.back().shape = shape;
    text += to_text(report, report.results.back());
  };
  add(Op::kNN, {1, 2, 3});
  add(Op::kTN, {1, 2, 3});
  add(Op::kNT, {4, 5, 6});
  text += footer(report);
  const std::string figure = "       10.0 (8.0-12)";
  const std::string none(figure.size(), ' ');
  CHECK_THAT(text, ContainsSubstring("\n1x2x3          " + figure + none + figure +
                                     "\n4x5x6          " + none + figure + "\n"));
}

TEST_CASE("the text for products ends with the mean ratio, and has no names of kernels") {
  BenchReport report = products();
  report.competitors = {"cblas"};
  report.results.push_back(report.results[0]);
  for (BenchFigure& each : report.results[1].figures) {
    if (each.kind != FigureKind::kCompetitor) continue;
    for (double& ns : each.samples_ns) ns /= 8.0;  // the ratio is 2 and 0.25
  }
  CHECK(footer(report).ends_with(
      "ratio to cblas: geometric mean 0.71 (0.25 to 2.00), slower on 1 of 2\n"));
  std::erase_if(report.results[0].figures,
                [](const BenchFigure& each) { return each.kind == FigureKind::kPlan; });
  CHECK(to_text(report, report.results[0]).find("kernel") == std::string::npos);
}

TEST_CASE("no line of the text for products is wider than 100 columns with three competitors") {
  BenchReport report = products();
  report.conditions.platform =
      "Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, RELOC";
  report.competitors = {"cblas", "clblast", "a-profile-with-a-long-name.toml"};
  std::istringstream lines(heading(report) + to_text(report, report.results[0]));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
  }
  CHECK_THAT(heading(report), ContainsSubstring("(PoCL 3.1+debian)"));
}

TEST_CASE("launch shares are at most 1, and ratios are above 1 if tilewright is faster") {
  BenchResult result;
  result.figures = {figure(FigureKind::kOwn, "tilewright", 12.0, {1.2}),
                    figure(FigureKind::kLaunchFloor, "launch floor", 0.0, {2.5}),
                    figure(FigureKind::kCompetitor, "slow", 12.0, {2.4}),
                    figure(FigureKind::kCompetitor, "fast", 12.0, {0.3}),
                    figure(FigureKind::kCompetitor, "dead", 12.0, {})};
  CHECK(*result.launch_share() == 1.0);
  CHECK(*result.ratio("slow") == Approx(2.0));
  CHECK(*result.ratio("fast") == Approx(0.25));
  CHECK_FALSE(result.ratio("dead"));
  CHECK_FALSE(result.ratio("nobody"));
}

TEST_CASE("a competitor that crashed has no figure") {
  BenchReport report = products();
  std::erase_if(report.results[0].figures,
                [](const BenchFigure& figure) { return figure.kind == FigureKind::kOwn; });
  const auto result = Json::parse(to_json(report))["results"][0];
  CHECK(figure_in(result, "tilewright").is_null());
  CHECK_FALSE(result.contains("launch_share"));
  CHECK_FALSE(figure_in(result, "competitor", "cblas").contains("ratio"));
  CHECK_THAT(to_text(report, report.results[0]), ContainsSubstring("5.0 (4.0-6.0)     -"));
  // A share of the launch that was not measured is not 0.
  report.verbose = true;
  CHECK_THAT(to_text(report, report.results[0]), ContainsSubstring("launch - %"));
}

// A product of 8 x 8 x 8 at 10 GFLOPS.
BenchReport one_product() {
  BenchReport report;
  BenchResult result;
  result.shape = {8, 8, 8};
  result.figures = {figure(FigureKind::kOwn, "tilewright", 1024.0, {102.4})};
  report.results.push_back(result);
  return report;
}

TEST_CASE("rates are for the requested type") {
  BenchReport report = one_product();
  report.rates.peak_gflops = 100.0;
  report.rates.multiply_adds = {{4, "mad", 100.0}, {4, "mad", 5.0, Precision::kDouble}};
  report.rates.double_peak_gflops = 5.0;
  report.rates.copy_gbytes_per_s = 1e6;
  const auto json = [&](Precision precision) {
    report.precision = precision;
    return nlohmann::json::parse(to_json(report));
  };
  const auto doubles = json(Precision::kDouble);
  // The peak of 5 GFLOPS is raised to the rate that was measured.
  CHECK(doubles["conditions"]["rates"]["peak_gflops"] == Approx(10.0));
  CHECK(doubles["conditions"]["rates"]["peak_is_lower_bound"] == true);
  CHECK(doubles["results"][0]["roofline_gflops"] == Approx(10.0));
  const auto half = json(Precision::kHalf);
  CHECK(half["conditions"]["rates"]["peak_gflops"] == 100.0);
  CHECK_FALSE(half["conditions"]["rates"].contains("peak_is_lower_bound"));
  CHECK(half["results"][0]["roofline_gflops"] == 100.0);
}

TEST_CASE("the JSON has each rate of the device") {
  BenchReport report = one_product();
  report.rates.local_gbytes_per_s = 12.0;
  report.rates.image_gbytes_per_s = 13.0;
  report.rates.launch_ns = 14'000.0;
  report.rates.round_trip_ns = 15'000.0;
  const Json rates = Json::parse(to_json(report))["conditions"]["rates"];
  CHECK(rates == Json{{"local_gbytes_per_s", 12.0},
                      {"image_gbytes_per_s", 13.0},
                      {"launch_us", 14.0},
                      {"round_trip_us", 15.0}});
}

TEST_CASE("unknown values are omitted from the JSON") {
  BenchReport report = one_product();
  report.results[0].figures.push_back(figure(FigureKind::kCompetitor, "dead", 1024.0, {}));
  const auto json = Json::parse(to_json(report));
  CHECK(json["conditions"]["rates"].empty());
  CHECK_FALSE(json["conditions"].contains("idle_waits"));
  CHECK_FALSE(json["results"][0].contains("roofline_gflops"));
  CHECK_FALSE(figure_in(json["results"][0], "tilewright", "tilewright").contains("peak_share"));
  const Json dead = figure_in(json["results"][0], "competitor", "dead");
  CHECK(dead["us"].is_null());
  CHECK_FALSE(dead.contains("rate"));
}

}  // namespace
}  // namespace tilewright
