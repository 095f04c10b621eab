// Tests the text and the JSON of reports on networks, without a device.
#include <nlohmann/json.hpp>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "made_figures.hpp"
#include "tuner/bench/bench_report.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
using Json = nlohmann::json;

// A network 3 -> 4 for a batch of two: 48 flops in 0.5 us on the device and 1 us in all.
BenchReport net() {
  BenchReport report;
  report.kind = BenchKind::kNetwork;
  report.conditions.device = "Mali";
  report.conditions.command = "net bench -x";
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

TEST_CASE("batches whose time is mostly launches are named") {
  BenchReport report = net();
  CHECK_THAT(footer(report), !ContainsSubstring("Larger batches"));
  report.results.push_back(report.results[0]);
  report.results[1].batch = 1;
  report.results[1].figures[0] =
      figure(FigureKind::kOwn, "tilewright", 24.0, samples(700.0, 750.0, 800.0));
  CHECK_THAT(footer(report), ContainsSubstring("batch 1"));
}

TEST_CASE("the text for a network has a line per step") {
  BenchReport report = net();
  report.verbose = true;
  CHECK_THAT(heading(report), ContainsSubstring("net.onnx (widths 640, 150, 10)"));
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
  CHECK(json["conditions"]["command"] == "net bench -x");
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
  CHECK_THAT(to_text(report, report.results[0]), ContainsSubstring(" 100\n"));
}

TEST_CASE("shares of an unknown peak are omitted") {
  BenchReport report = net();
  report.rates = {};
  const auto result = Json::parse(to_json(report))["results"][0];
  for (const Json& figure : result["figures"]) CHECK_FALSE(figure.contains("peak_share"));
}

}  // namespace
}  // namespace tilewright
