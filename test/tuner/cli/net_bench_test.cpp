// Tests of `tilewright net bench` on a device.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "bench_figures.hpp"
#include "catch.hpp"
#include "cli_checks.hpp"
#include "net_cli_case.hpp"
#include "run_program.hpp"

namespace tilewright {
namespace {

TEST_CASE("a half-precision network is compared with competitors") {
  write_network_model(all_layers(), file("all.json"));
  const std::string command = "net bench " + file("all.json") +
                              " --precision h --device 0 --profile builtin --batch 3 --seconds "
                              "50ms --compare cblas,builtin";
  const ProgramResult bench = run_program(command + " --json");
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  CHECK(json["conditions"]["precision"] == "h");
  REQUIRE(json["results"].size() == 1);
  CHECK(figure_in(json["results"][0], "tilewright")["us"]["median"] > 0.0);
  CHECK(figure_in(json["results"][0], "competitor", "builtin")["ratio"] > 0.0);
  for (const auto& figure : json["results"][0]["figures"]) {
    if (figure["kind"] != "step") continue;
    CHECK(figure["kernels"].back().get<std::string>().starts_with("h"));
  }
  CHECK(contains(run_program(command).out, "half precision) on "));
}

TEST_CASE("a network is compared with competitors, for each step and as a whole") {
  write_network_model(all_layers(), file("all.json"));
  const ProgramResult bench = run_program(
      "net bench " + file("all.json") +
      " --device 0 --profile builtin --batch 1,3 --seconds 50ms --compare cblas,builtin "
      "--json");
  INFO(bench.error);
  REQUIRE(bench.exit_code == 0);
  const auto json = nlohmann::json::parse(bench.out);
  CHECK(json["conditions"]["command"].get<std::string>().starts_with("tilewright net bench "));
  REQUIRE(json["competitors"].size() == 2);
  const bool has_cblas = !json["competitors"][0].contains("missing");
  REQUIRE(json["results"].size() == 2);
  for (const auto& result : json["results"]) {
    const auto own = figure_in(result, "tilewright");
    CHECK(own["us"]["median"] > 0.0);
    CHECK(own["samples"] >= 9);
    CHECK(figure_in(result, "launch_floor")["us"]["median"] > 0.0);
    CHECK(figure_in(result, "competitor", "builtin")["ratio"] > 0.0);
    CHECK(figure_in(result, "competitor", "cblas").is_null() == !has_cblas);
    std::size_t steps = 0;
    for (const auto& figure : result["figures"]) {
      if (figure["kind"] != "step") continue;
      ++steps;
      CHECK(figure["us"]["median"] > 0.0);
      CHECK(figure["samples"] == own["samples"]);  // one for each round
      CHECK(figure["kernels"].size() >= 1);
      CHECK(figure.contains("rate") == figure.contains("work"));
    }
    // tanh, five products, the second activation after one of them, softmax.
    CHECK(steps == 8);
  }
}

TEST_CASE("the networks of the thesis are measured by their names") {
  for (const std::string preset : {"partial-mnist", "partial-cifar"}) {
    INFO(preset);
    const ProgramResult bench =
        run_program("net bench preset:" + preset + " --device 0 --batch 1 --seconds 50ms");
    INFO(bench.error);
    REQUIRE(bench.exit_code == 0);
    CHECK(contains(bench.out, "preset:" + preset + " (widths "));
    CHECK(contains(bench.out, "\nbatch 1\n"));
    CHECK(contains(bench.out, " + relu"));
    CHECK(contains(bench.out, "forward, wall time"));
    CHECK(contains(bench.out, "launch floor"));
    CHECK(contains(bench.out, "\nprofile: "));
  }
}

TEST_CASE("the output that is measured is named, and so is the first one of a converted network") {
  ActivationLayer tanh{"", Activation::kTanh};
  AffineLayer value = affine(3, 1, true);
  tanh.input = value.input = 0;
  NetworkModel model{{tanh, value}};
  model.inputs = {{"state", 3}};
  model.outputs = {{"memory", 1}, {"value", 2}};
  write_network_model(model, file("two.onnx"));
  const std::string bench = "net bench --device 0 --batch 1 --seconds 50ms ";
  CHECK(contains(run_program(bench + file("two.onnx")).out, "; output 'memory') on "));
  // The first output becomes one that cannot be computed.
  std::string bytes;
  {
    std::ifstream stream(file("two.onnx"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
  }
  const std::size_t at = bytes.find("Tanh");
  REQUIRE(at != std::string::npos);
  bytes.replace(at, 4, "LSTM");
  std::ofstream(file("lstm.onnx"), std::ios::binary) << bytes;
  const ProgramResult json = run_program(bench + file("lstm.onnx") + " --json");
  INFO(json.error);
  REQUIRE(json.exit_code == 0);
  CHECK(nlohmann::json::parse(json.out)["conditions"]["output"] == "value");
  const ProgramResult converted =
      run_program("net convert " + file("lstm.onnx") + " " + file("lstm.json"));
  CHECK(converted.exit_code == 0);
  CHECK(contains(converted.error, "'memory' is left out"));
  CHECK(contains(converted.error, "get 'value'"));
}

}  // namespace
}  // namespace tilewright
