// What does the report of a benchmark say, as text and as JSON? Without a device.
#include "tuner/bench/bench_report.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "tuner/bench/kernel_bench.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

// Samples whose 10th and 90th percentile and median are these.
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

// 1 x 2 x 3 with 12 flops at 10 GFLOPS, a competitor at 5, and two plans.
BenchReport products() {
  BenchReport report;
  report.conditions = {
      "Mali \"T628\"",    "ARM", "r12", "0.1.0", "2026-01-02T03:04:05Z", "bench -x",
      {"POCL_AFFINITY=1"}};
  report.profile = "built-in";
  report.profile_digest = "xxh3-0";
  report.rates.peak_gflops = 100.0;
  report.rates.copy_gbytes_per_s = 11.0;
  report.competitors = {"cblas", "clblast"};
  report.not_here = {{"clblast", "it is not installed"}};
  report.details = {{"cblas", "two threads"}};
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

TEST_CASE("the JSON of products has the documented form") {
  const auto json = nlohmann::json::parse(to_json(products()));
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
  CHECK(result["kernel"] == "pack+kernel");
  CHECK(result["gflops"]["median"] == Approx(10.0));
  CHECK(result["gflops"]["low"] == Approx(8.0));
  CHECK(result["gflops"]["high"] == Approx(12.0));
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
  CHECK(result["left_out"] == std::vector<std::string>{"slow (900 ms)"});
  CHECK(result["rivals"]["cblas"]["median"] == Approx(5.0));
  CHECK(result["rivals"]["cblas"]["low"] == Approx(4.0));
  CHECK(result["rivals"]["cblas"]["high"] == Approx(6.0));
  CHECK(result["rivals"]["cblas"]["ratio"] == Approx(2.0));
}

TEST_CASE("the text of products has a row each, and a column for each competitor") {
  const BenchReport report = products();
  CHECK_THAT(heading(report), ContainsSubstring("SGEMM end to end on Mali \"T628\" (ARM)") &&
                                  ContainsSubstring("tilewright") && ContainsSubstring("clblast"));
  const std::string row = to_text(report, report.results[0]);
  CHECK_THAT(row, ContainsSubstring("NT  1x2x3") && ContainsSubstring("10.0 (8.0-12.0)       50") &&
                      ContainsSubstring("5.0 (4.0-6.0)    2.00") &&
                      ContainsSubstring("-       -  pack+kernel\n") &&
                      ContainsSubstring("  plan") && ContainsSubstring("12.0 (12.0-12.0)  pack") &&
                      ContainsSubstring("beyond --max-dispatch: slow (900 ms)"));
  CHECK_THAT(footer(report), ContainsSubstring("profile: built-in\n") &&
                                 ContainsSubstring("cblas: two threads\n") &&
                                 ContainsSubstring("clblast is missing: it is not installed") &&
                                 ContainsSubstring("0.0006 to 0.0006 us"));
}

TEST_CASE("launch shares are 1 at most, and ratios above 1 where tilewright is faster") {
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

TEST_CASE("what crashed has no figure") {
  BenchReport report = products();
  std::erase_if(report.results[0].figures,
                [](const BenchFigure& figure) { return figure.kind == FigureKind::kOwn; });
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["results"][0]["gflops"].is_null());
  CHECK(json["results"][0]["launch_share"].is_null());
  CHECK_FALSE(json["results"][0]["rivals"]["cblas"].contains("ratio"));
  CHECK_THAT(to_text(report, report.results[0]), ContainsSubstring("5.0 (4.0-6.0)       -"));
}

// 8 x 8 x 8 at 10 GFLOPS.
BenchReport one_product() {
  BenchReport report;
  BenchResult result;
  result.shape = {8, 8, 8};
  result.figures = {figure(FigureKind::kOwn, "tilewright", 1024.0, {102.4})};
  report.results.push_back(result);
  return report;
}

TEST_CASE("rates are of the type that was asked for") {
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
  // Raised by what was measured.
  CHECK(doubles["rates"]["peak_gflops"] == Approx(10.0));
  CHECK(doubles["rates"]["peak_is_lower_bound"] == true);
  CHECK(doubles["results"][0]["roofline_gflops"] == Approx(10.0));
  const auto half_precision = json(Precision::kHalf);
  CHECK(half_precision["rates"]["peak_gflops"] == 100.0);
  CHECK_FALSE(half_precision["rates"].contains("peak_is_lower_bound"));
  CHECK(half_precision["results"][0]["roofline_gflops"] == 100.0);
}

TEST_CASE("what is not known is left out, or null") {
  const auto json = nlohmann::json::parse(to_json(one_product()));
  CHECK(json["rates"].empty());
  CHECK_FALSE(json["results"][0].contains("roofline_gflops"));
  CHECK_FALSE(json["results"][0].contains("plans"));
}

// Two rows of 2 x 3 -> 4 with 48 flops in 0.5 us on the device, 1 us end to end.
BenchReport net() {
  BenchReport report;
  report.kind = BenchKind::kNet;
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

TEST_CASE("the text of a net's result has a line for each step") {
  BenchReport report = net();
  CHECK_THAT(heading(report), ContainsSubstring("net.onnx (widths 640, 150, 10) on Mali"));
  const std::string table = to_text(report, report.results[0]);
  for (const char* part :
       {"batch 2\n", "first + relu", "0.5 (0.5-0.5)", "10  pack+gemm", "softmax",
        "forward, wall time", "1.0 (0.9-1.2)", "5  % launch: 25", "ratio 1.50", "launch floor"}) {
    INFO(part);
    CHECK_THAT(table, ContainsSubstring(part));
  }
  CHECK_THAT(footer(report), ContainsSubstring("% peak: of the peak of single precision that the "
                                               "profile records, 1 GFLOPS"));
  // Without a peak there is no share of it.
  report.rates.peak_gflops = 0.0;
  CHECK_THAT(to_text(report, report.results[0]), ContainsSubstring("-  pack+gemm"));
}

TEST_CASE("the JSON of a net has the documented form") {
  BenchReport report = net();
  report.not_here = {{"cblas", "it is not installed"}};
  report.details = {{"cblas", "two threads"}};
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["device"] == "Mali");
  CHECK(json["command"] == "mlp bench -x");
  CHECK(json["model"] == "net.onnx");
  CHECK(json["precision"] == "s");
  CHECK(json["widths"] == "640, 150, 10");
  CHECK(json["parameters"] == 97660);
  CHECK(json["profile"] == "a file");
  CHECK(json["profile_digest"] == "xxh3-0");
  CHECK(json["rates"]["peak_gflops"] == 0.96);
  CHECK(json["missing_rivals"] == std::vector<std::string>{"cblas"});
  CHECK(json["rival_details"]["cblas"] == "two threads");
  REQUIRE(json["results"].size() == 1);
  const auto& result = json["results"][0];
  CHECK(result["batch"] == 2);
  CHECK(result["flops"] == 48.0);
  CHECK(result["forward_us"]["median"] == Approx(1.0));
  CHECK(result["forward_us"]["low"] == Approx(0.9));
  CHECK(result["samples"] == 9);
  CHECK(result["gflops"] == Approx(0.048));
  CHECK(result["peak_share"] == Approx(0.05));
  CHECK(result["rivals"]["cblas"]["forward_us"]["high"] == Approx(1.6));
  CHECK(result["rivals"]["cblas"]["ratio"] == Approx(1.5));
  CHECK(result["launch_floor_us"]["median"] == Approx(0.25));
  CHECK(result["launch_share"] == Approx(0.25));
  CHECK(result["workspace_bytes"] == 64);
  REQUIRE(result["steps"].size() == 2);
  const auto& step = result["steps"][0];
  CHECK(step["step"] == "first + relu");
  CHECK(step["kernels"] == std::vector<std::string>{"pack", "gemm"});
  CHECK(step["device_us"]["median"] == Approx(0.5));
  CHECK(step["predicted_us"] == Approx(0.4));
  CHECK(step["gflops"] == Approx(0.096));
  CHECK(step["peak_share"] == Approx(0.1));
  CHECK(result["steps"][1]["device_us"].is_null());
  CHECK(result["steps"][1]["predicted_us"].is_null());
  CHECK_FALSE(result["steps"][1].contains("gflops"));
}

TEST_CASE("nets of halfs are shares of the peak of floats, in which they add up") {
  BenchReport report = net();
  report.precision = Precision::kHalf;
  report.rates.peak_gflops = 0.48;
  report.rates.half_peak_gflops = 100.0;
  auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["rates"]["peak_gflops"] == 0.48);
  CHECK(json["results"][0]["peak_share"] == Approx(0.1));
  report.rates.peak_gflops = 0.01;
  json = nlohmann::json::parse(to_json(report));
  // No step raises the peak: its kernels may be those with a bias and an activation.
  CHECK(json["rates"]["peak_gflops"] == Approx(0.01));
  CHECK(json["results"][0]["steps"][0]["peak_share"] == Approx(9.6));
  CHECK_THAT(to_text(report, report.results[0]), ContainsSubstring(">100  pack+gemm"));
}

TEST_CASE("a share of a peak that is not known is left out") {
  BenchReport report = net();
  report.rates = {};
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK_FALSE(json["results"][0].contains("peak_share"));
  CHECK_FALSE(json["results"][0]["steps"][0].contains("peak_share"));
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

TEST_CASE("the text of points has a block for each size, and says what is missing") {
  const BenchReport report = points();
  CHECK_THAT(heading(report), ContainsSubstring("of the kernel's device time on operands"));
  const std::string block = to_text(report, report.results[1]);
  CHECK_THAT(block, ContainsSubstring("\n192x192x192\n") && ContainsSubstring("GFLOPS\n") &&
                        ContainsSubstring("12.0 (10.0-13.3)\n") && ContainsSubstring("-\n"));
  CHECK_THAT(footer(report), ContainsSubstring("\n- two on 192x192x192: it hung\n- one on "));
}

TEST_CASE("the JSON of points says the same") {
  const auto json = nlohmann::json::parse(to_json(points()));
  CHECK(json["device"] == "Mali-T628");
  CHECK(json["points"] == std::vector<std::string>{"one", "two"});
  CHECK(json["results"][1]["m"] == 192);
  CHECK(json["results"][1]["gflops"]["two"].is_null());
  CHECK(json["results"][0]["gflops"]["two"]["median"] == Approx(12.0));
  CHECK(json["results"][0]["gflops"]["two"]["samples"] == 9);
  CHECK(json["results"][0]["gflops"]["two"]["rounds"][8] == Approx(10.0));
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

TEST_CASE("the text of packing has shares of the copy beside it and of the copy of the profile") {
  const BenchReport report = packs();
  const std::string small = to_text(report, report.results[0]);
  CHECK_THAT(small, ContainsSubstring("1000x1000: 4 MB read and as much written; a copy of as "
                                      "much: 8 (7.5-8)"));
  CHECK_THAT(small,
             ContainsSubstring("pack_R_C") && ContainsSubstring("6 (5-6)        75       120"));
  CHECK_THAT(to_text(report, report.results[1]), ContainsSubstring("4 (4-4)         -        80"));
  CHECK_THAT(footer(report), ContainsSubstring("\n- pack_C_R: it hung\n"));
}

TEST_CASE("the JSON of packing says the same") {
  const auto json = nlohmann::json::parse(to_json(packs()));
  CHECK(json["device"] == "Mali-T628");
  CHECK(json["rates"]["copy_gbytes_per_s"] == 5.0);
  REQUIRE(json["packs"].size() == 2);
  CHECK(json["packs"][0]["rows"] == 1000);
  CHECK(json["packs"][0]["copy_gbytes_per_s"]["median"] == 8.0);
  CHECK(json["packs"][0]["kernels"][0]["gbytes_per_s"]["low"] == 5.0);
  CHECK(json["packs"][0]["kernels"][0]["share_of_copy"] == 0.75);
  CHECK_FALSE(json["packs"][1]["kernels"][0].contains("share_of_copy"));
  CHECK(json["missing"] == nlohmann::json{"pack_C_R: it hung"});
}

}  // namespace
}  // namespace tilewright
