// Tests the text and the JSON of a benchmark's report, without a device.
#include "tuner/bench/bench_report.hpp"

#include <nlohmann/json.hpp>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "tuner/bench/kernel_bench.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// Returns samples with this 10th percentile, median and 90th percentile.
std::vector<double> samples(double low, double median, double high) {
  return {low, low, low, median, median, median, high, high, high};
}

BenchFigure figure(FigureKind kind, const std::string& name, double work,
                   std::vector<double> samples_ns) {
  BenchFigure figure{kind, name};
  figure.work = work;
  figure.samples_ns = std::move(samples_ns);
  return figure;
}

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

TEST_CASE("the report of a CPU names its processor") {
  BenchReport report = products();
  report.conditions.processor = "AuthenticAMD family 25 model 17";
  CHECK(Json::parse(to_json(report))["conditions"]["processor"] ==
        "AuthenticAMD family 25 model 17");
  CHECK(heading(report).find("(AuthenticAMD family 25 model 17, ARM)") != std::string::npos);
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
  const BenchReport report = products();
  CHECK_THAT(heading(report), ContainsSubstring("SGEMM end to end on Mali \"T628\" (ARM)") &&
                                  ContainsSubstring("tilewright") && ContainsSubstring("clblast"));
  const std::string row = to_text(report, report.results[0]);
  CHECK_THAT(row, ContainsSubstring("NT  1x2x3") && ContainsSubstring("10.0 (8.0-12.0)       50") &&
                      ContainsSubstring("5.0 (4.0-6.0)    2.00") &&
                      ContainsSubstring("-       -  pack+kernel\n") &&
                      ContainsSubstring("  plan") && ContainsSubstring("12.0 (12.0-12.0)  pack") &&
                      ContainsSubstring("to exceed --max-dispatch: slow (900 ms)"));
  CHECK_THAT(footer(report), ContainsSubstring("profile: built-in\n") &&
                                 ContainsSubstring("cblas: two threads\n") &&
                                 ContainsSubstring("clblast is missing: it is not installed") &&
                                 ContainsSubstring("0.0006 to 0.0006 us") &&
                                 ContainsSubstring("(waiting time at most 110 ms)") &&
                                 ContainsSubstring("warning: 2 of 45 samples began while"));
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
  CHECK_THAT(to_text(report, report.results[0]), ContainsSubstring("5.0 (4.0-6.0)       -"));
  // A share of the launch that was not measured is not 0.
  CHECK_THAT(to_text(report, report.results[0]), ContainsSubstring("-        -"));
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

// A network 3 -> 4 for a batch of two: 48 flops in 0.5 us on the device and 1 us in all.
BenchReport net() {
  BenchReport report;
  report.kind = BenchKind::kNetwork;
  report.conditions.device = "Mali";
  report.conditions.command = "mlp bench -x";
  report.model = "net.onnx";
  report.widths = "640, 150, 10";
  report.parameters = 97660;
  report.profile = "a file";
  report.profile_digest = "xxh3-0";
  report.rates.peak_gflops = 0.96;
  BenchResult result;
  result.batch = 2;
  result.workspace_bytes = 64;
  BenchFigure first = figure(FigureKind::kStep, "first + relu", 48.0, samples(480.0, 500.0, 510.0));
  first.kernels = {"pack", "gemm"};
  first.predicted_ns = 400.0;
  first.inputs = 3;
  first.outputs = 4;
  BenchFigure softmax = figure(FigureKind::kStep, "softmax", 0.0, {});
  softmax.kernels = {"softmax"};
  result.figures = {
      figure(FigureKind::kOwn, "tilewright", 48.0, samples(900.0, 1000.0, 1200.0)),
      figure(FigureKind::kCompetitor, "cblas", 48.0, samples(1400.0, 1500.0, 1600.0)),
      figure(FigureKind::kLaunchFloor, "launch floor", 0.0, samples(240.0, 250.0, 260.0)), first,
      softmax};
  report.results.push_back(result);
  return report;
}

TEST_CASE("the text for a network has a line per step") {
  BenchReport report = net();
  CHECK_THAT(heading(report), ContainsSubstring("net.onnx (widths 640, 150, 10) on Mali"));
  const std::string table = to_text(report, report.results[0]);
  for (const char* part :
       {"batch 2\n", "first + relu", "0.5 (0.5-0.5)", "10  pack+gemm", "softmax",
        "forward, wall time", "1.0 (0.9-1.2)", "5  % launch: 25", "ratio 1.50", "launch floor"}) {
    INFO(part);
    CHECK_THAT(table, ContainsSubstring(part));
  }
  CHECK_THAT(footer(report), ContainsSubstring("% peak: share of the single-precision peak in the "
                                               "profile, 1 GFLOPS"));
  // If the peak is unknown, so is the share of the peak.
  report.rates.peak_gflops = 0.0;
  CHECK_THAT(to_text(report, report.results[0]), ContainsSubstring("-  pack+gemm"));
}

TEST_CASE("the JSON for a network has the same form") {
  const auto json = Json::parse(to_json(net()));
  CHECK(json["kind"] == "network");
  CHECK(json["conditions"]["command"] == "mlp bench -x");
  CHECK(json["conditions"]["model"] == "net.onnx");
  CHECK(json["conditions"]["precision"] == "s");
  CHECK(json["conditions"]["widths"] == "640, 150, 10");
  CHECK(json["conditions"]["parameters"] == 97660);
  CHECK(json["conditions"]["rates"]["peak_gflops"] == 0.96);
  REQUIRE(json["results"].size() == 1);
  const auto& result = json["results"][0];
  CHECK(result["batch"] == 2);
  CHECK(result["launch_share"] == Approx(0.25));
  CHECK(result["workspace_bytes"] == 64);
  const Json own = figure_in(result, "tilewright", "tilewright");
  CHECK(own["work"] == 48.0);
  CHECK(own["us"]["median"] == Approx(1.0));
  CHECK(own["us"]["low"] == Approx(0.9));
  CHECK(own["samples"] == 9);
  CHECK(own["rate"]["median"] == Approx(0.048));
  CHECK(own["peak_share"] == Approx(0.05));
  CHECK(figure_in(result, "competitor", "cblas")["us"]["high"] == Approx(1.6));
  CHECK(figure_in(result, "competitor", "cblas")["ratio"] == Approx(1.5));
  const Json step = figure_in(result, "step", "first + relu");
  CHECK(step["kernels"] == std::vector<std::string>{"pack", "gemm"});
  CHECK(step["inputs"] == 3);
  CHECK(step["outputs"] == 4);
  CHECK(step["us"]["median"] == Approx(0.5));
  CHECK(step["predicted_us"] == Approx(0.4));
  CHECK(step["rate"]["median"] == Approx(0.096));
  CHECK(step["peak_share"] == Approx(0.1));
  const Json softmax = figure_in(result, "step", "softmax");
  CHECK(softmax["us"].is_null());
  CHECK_FALSE(softmax.contains("predicted_us"));
  CHECK_FALSE(softmax.contains("rate"));
}

TEST_CASE(
    "half-precision networks are compared with the peak of single precision, as their sums are") {
  BenchReport report = net();
  report.precision = Precision::kHalf;
  report.rates.peak_gflops = 0.48;
  report.rates.half_peak_gflops = 100.0;
  auto json = Json::parse(to_json(report));
  CHECK(json["conditions"]["rates"]["peak_gflops"] == 0.48);
  CHECK(figure_in(json["results"][0], "tilewright", "tilewright")["peak_share"] == Approx(0.1));
  report.rates.peak_gflops = 0.01;
  json = Json::parse(to_json(report));
  // A step does not raise the peak, because its kernels may include a bias and an activation.
  CHECK(json["conditions"]["rates"]["peak_gflops"] == Approx(0.01));
  CHECK(figure_in(json["results"][0], "step", "first + relu")["peak_share"] == Approx(9.6));
  CHECK_THAT(to_text(report, report.results[0]), ContainsSubstring(">100  pack+gemm"));
}

TEST_CASE("shares of an unknown peak are omitted") {
  BenchReport report = net();
  report.rates = {};
  const auto result = Json::parse(to_json(report))["results"][0];
  for (const Json& figure : result["figures"]) CHECK_FALSE(figure.contains("peak_share"));
}

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
