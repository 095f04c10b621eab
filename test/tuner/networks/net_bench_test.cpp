// How is the benchmark of a net reported? Without a device.
#include "tuner/networks/net_bench.hpp"

#include <nlohmann/json.hpp>
#include <tilewright/mlp_files.hpp>

#include "catch.hpp"

namespace tilewright {
namespace {

// 2 x 3 -> 4 with 48 flops in 0.5 us on the device, 1 us end to end.
NetResult made_up() {
  NetResult result;
  result.batch = 2;
  result.flops = 48.0;
  result.forward_ns = {1000.0, 900.0, 1200.0, 9};
  result.rivals["cblas"] = {1500.0, 1400.0, 1600.0, 9};
  result.launch_floor_ns = {250.0, 240.0, 260.0, 9};
  result.workspace_bytes = 64;
  result.steps.push_back({{"first + relu", {"pack", "gemm"}, 2, 3, 4, 48.0, 400.0, "R", 4},
                          Summary{500.0, 480.0, 510.0, 8}});
  result.steps.push_back(
      {{"softmax", {"softmax"}, 2, 4, 4, 0.0, std::nullopt, "R", 4}, std::nullopt});
  return result;
}

TEST_CASE("rates, shares and ratios of a net's result") {
  const NetResult result = made_up();
  CHECK(result.gflops() == Approx(0.048));
  CHECK(result.launch_share() == Approx(0.25));
  CHECK(result.ratio("cblas") == Approx(1.5));
  CHECK(result.steps[0].gflops() == Approx(0.096));
  CHECK(result.steps[1].gflops() == 0.0);
}

TEST_CASE("the table of a net's result has a line for each step") {
  const std::string table = to_table(made_up(), 0.96);
  for (const char* part :
       {"batch 2\n", "first + relu", "0.5 (0.5-0.5)", "10  pack+gemm", "softmax",
        "forward, wall time", "1.0 (0.9-1.2)", "5  % launch: 25", "ratio 1.50"}) {
    INFO(part);
    CHECK(table.find(part) != std::string::npos);
  }
  // Without a peak there is no share of it.
  CHECK(to_table(made_up(), 0.0).find("-  pack+gemm") != std::string::npos);
}

TEST_CASE("the JSON of a net's benchmark has the documented form") {
  NetBenchReport report;
  report.conditions.device = "Mali";
  report.conditions.command = "mlp bench -x";
  report.model_name = "net.onnx";
  report.facts = facts_of(preset_model("partial-mnist", 1));
  report.profile = "a file";
  report.profile_digest = "xxh3-0";
  report.rates.peak_gflops = 0.96;
  report.missing_rivals = {"cblas"};
  report.rival_details = {{"cblas", "two threads"}};
  report.results.push_back(made_up());
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
  CHECK(step["peak_share"] == Approx(0.1));
  CHECK(result["steps"][1]["device_us"].is_null());
  CHECK(result["steps"][1]["predicted_us"].is_null());
  CHECK_FALSE(result["steps"][1].contains("gflops"));
}

TEST_CASE("nets of halfs are shares of the peak of floats, in which they add up") {
  NetBenchReport report;
  report.precision = Precision::kHalf;
  report.rates.peak_gflops = 0.48;
  report.rates.half_peak_gflops = 100.0;
  report.results.push_back(made_up());
  auto json = nlohmann::json::parse(to_json(report));
  CHECK(json["rates"]["peak_gflops"] == 0.48);
  CHECK(json["results"][0]["peak_share"] == Approx(0.1));
  report.rates.peak_gflops = 0.01;
  json = nlohmann::json::parse(to_json(report));
  // No step raises the peak: its kernels may be those with a bias and an activation.
  CHECK(json["rates"]["peak_gflops"] == Approx(0.01));
  CHECK(json["results"][0]["steps"][0]["peak_share"] == Approx(9.6));
  CHECK(to_table(made_up(), 0.01).find(">100  pack+gemm") != std::string::npos);
}

TEST_CASE("a forward that is faster than an empty kernel is 100 % launch") {
  NetResult result = made_up();
  result.launch_floor_ns.median = 2080.0;
  CHECK(result.launch_share() == 1.0);
  CHECK(to_table(result, 0.0).find("% launch: 100") != std::string::npos);
}

TEST_CASE("a share of a peak that is not known is left out") {
  NetBenchReport report;
  report.results.push_back(made_up());
  const auto json = nlohmann::json::parse(to_json(report));
  CHECK_FALSE(json["results"][0].contains("peak_share"));
  CHECK_FALSE(json["results"][0]["steps"][0].contains("peak_share"));
}

}  // namespace
}  // namespace tilewright
