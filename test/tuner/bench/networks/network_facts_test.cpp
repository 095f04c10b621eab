// Tests the description of a network and the check of its outputs. Needs no device.
#include "tuner/bench/networks/network_facts.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include "runtime/models/network_files.hpp"

#include "catch.hpp"
#include "profiles/base/usage_error.hpp"
#include "runtime/network/model/host_network.hpp"
#include "tuner/bench/networks/network_argument.hpp"
#include "tuner/bench/networks/network_check.hpp"
#include "tuner/bench/networks/network_run.hpp"

namespace tilewright {
namespace {

// Layers: tanh, 3 -> 2 with a bias, ReLU, 2 -> 4 without a bias.
NetworkModel small_network() {
  return {{ActivationLayer{"", Activation::kTanh},
           AffineLayer{"first", 3, 2, {1, 2, 3, 4, 5, 6}, {7, 8}},
           ActivationLayer{"", Activation::kRelu},
           AffineLayer{"", 2, 4, std::vector<float>(8, -1.0f), {}}}};
}

TEST_CASE("the facts of a network have widths, parameters and flops of each layer") {
  const NetworkFacts facts = make_network_facts(small_network());
  CHECK(facts.inputs == 3);
  CHECK(facts.outputs == 4);
  CHECK(facts.parameters == 6 + 2 + 8);
  CHECK(facts.flops == 2.0 * (3 * 2 + 2 * 4));
  CHECK(facts.bytes() == 64);
  CHECK(widths_text(facts) == "3, 2, 4");
  REQUIRE(facts.layers.size() == 4);
  CHECK(facts.layers[0].kind == "tanh");
  CHECK(facts.layers[0].inputs == 3);
  CHECK(facts.layers[0].outputs == 3);
  CHECK(facts.layers[1].kind == "affine");
  CHECK(facts.layers[1].name == "first");
  CHECK(facts.layers[1].parameters == 8);
  CHECK(facts.layers[2].outputs == 2);
  CHECK(facts.layers[3].kind == "affine without bias");
  CHECK(facts.layers[3].flops == 16.0);
}

TEST_CASE("the facts of a network are printed as a table and as JSON") {
  const NetworkFacts facts = make_network_facts(preset_model("full-mnist", 1));
  const std::string table = to_table("preset:full-mnist", facts);
  CHECK(table.find("preset:full-mnist: 5 layers, widths 784, 2500, 2000, 10\n") == 0);
  CHECK(table.find("6,984,510") != std::string::npos);   // parameters
  CHECK(table.find("13,960,000") != std::string::npos);  // flops
  CHECK(table.find("27,938,040") != std::string::npos);  // bytes
  const auto json = nlohmann::json::parse(to_json("x", facts));
  CHECK(json["model"] == "x");
  CHECK(json["parameters"] == 6984510);
  CHECK(json["flops_per_sample"] == 13960000.0);
  CHECK(json["bytes"] == 27938040);
  REQUIRE(json["layers"].size() == 5);
  CHECK(json["layers"][1] == nlohmann::json{{"kind", "relu"},
                                            {"name", ""},
                                            {"inputs", 2500},
                                            {"outputs", 2500},
                                            {"parameters", 0},
                                            {"flops_per_sample", 0.0}});
}

TEST_CASE("the facts of a network name the outputs that its file transposes") {
  NetworkModel model = small_network();
  model.outputs = {{"y", 3}, {"t", 4, true}};
  const NetworkFacts facts = make_network_facts(model);
  const std::string table = to_table("x", facts);
  CHECK(table.find("output 1: 'y', rows x 2\n") != std::string::npos);
  CHECK(table.find("output 2: 't', rows x 4, transposed: one row per sample\n") !=
        std::string::npos);
  const auto json = nlohmann::json::parse(to_json("x", facts));
  CHECK(json["output_ports"][0]["transposed"] == false);
  CHECK(json["output_ports"][1]["transposed"] == true);
}

TEST_CASE("a preset is selected by its name") {
  CHECK(read_network_argument("preset:partial-cifar") == preset_model("partial-cifar", 1));
  CHECK_THROWS_AS(read_network_argument("preset:"), UsageError);
  CHECK_THROWS_AS(read_network_argument("preset:full"), UsageError);
  CHECK_THROWS_AS(read_network_argument("/no/such/net.json"), ModelError);
}

std::string refusal(const FloatMatrix& labels, std::int64_t rows, std::int64_t classes) {
  try {
    make_labels(labels, "l.npy", rows, classes);
  } catch (const MatrixFileError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("labels must be whole numbers below the number of outputs, one per row") {
  CHECK(refusal({1, 3, {0, 9, 4}}, 3, 10).empty());
  CHECK(refusal({3, 1, {0, 9, 4}}, 3, 10).empty());
  CHECK(refusal({0, 1, {}}, 0, 10).empty());
  CHECK_THAT(refusal({1, 3, {0, 9, 4}}, 2, 10),
             Catch::Matchers::ContainsSubstring("'l.npy': is a matrix of 1 x 3"));
  CHECK(refusal({2, 2, {0, 9, 4, 1}}, 4, 10).find("2 x 2") != std::string::npos);
  CHECK_THAT(refusal({1, 2, {0, 10}}, 2, 10),
             Catch::Matchers::ContainsSubstring("'l.npy': label 2 is 10"));
  for (const float bad : {-1.0f, 0.5f, std::nanf(""), 1e30f}) {
    CHECK(refusal({1, 1, {bad}}, 1, 10).find("label 1 is ") != std::string::npos);
  }
}

TEST_CASE("one-hot labels become classes") {
  const FloatMatrix labels = make_labels({2, 3, {0, 1, 0, 0, 0, 1}}, "l.npy", 2, 3);
  CHECK(labels.rows == 2);
  CHECK(labels.columns == 1);
  CHECK(labels.values == std::vector<float>{1, 2});
}

TEST_CASE("a row is correct if its largest output is that of its label") {
  const float nan = std::nanf("");
  const FloatMatrix outputs{5, 3, {1, 3, 2, 3, 1, 2, -1, -2, -1, 0, nan, 0, nan, 0, 0}};
  CHECK(other_classes(outputs, {1, 5, {1, 0, 0, 1, 0}}).size() == 2);
  CHECK(other_classes(outputs, {5, 1, {2, 2, 2, 0, 0}}).size() == 5);
  CHECK(other_classes({0, 3, {}}, {0, 0, {}}).empty());
}

TEST_CASE("rows with another class than their label are listed with the difference") {
  const FloatMatrix outputs{3, 2, {0.25f, 0.75f, 0.5f, 0.5f, std::nanf(""), 1.0f}};
  const std::vector<OtherClass> others = other_classes(outputs, {3, 1, {0, 1, 1}});
  REQUIRE(others.size() == 3);
  CHECK(others[0].row == 0);
  CHECK(others[0].label == 0);
  CHECK(others[0].largest == 1);
  CHECK(others[0].margin == 0.5f);
  CHECK(others[1].largest == 0);
  CHECK(others[1].margin == 0.0f);
  CHECK(std::isnan(others[2].margin));
}

TEST_CASE(
    "outputs of a half-precision network are checked with the error bound of half precision") {
  const NetworkModel model = preset_model("partial-cifar", 3);
  std::vector<float> input(256);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = std::sin(static_cast<float>(i));
  const std::vector<double> right = host_forward(round_to_precision(model, Precision::kHalf),
                                                 round_to_precision(input, Precision::kHalf), 1);
  std::vector<float> good = round_to_precision({right.begin(), right.end()}, Precision::kHalf);
  CHECK(NetworkCheck(model, input, 1, Precision::kHalf).wrong("good", good).empty());
  CHECK_FALSE(NetworkCheck(model, input, 1).wrong("good", good).empty());
  float largest = 0.0f;
  for (const float value : good) largest = std::max(largest, std::abs(value));
  good[3] += 0.02f * largest;
  CHECK_FALSE(NetworkCheck(model, input, 1, Precision::kHalf).wrong("bad", good).empty());
}

TEST_CASE(
    "an output is compared with the host's result, and completely with the first correct one") {
  const NetworkModel model = preset_model("partial-cifar", 3);
  const std::size_t batch = 9;
  std::vector<float> input(batch * 256);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = std::sin(static_cast<float>(i));
  const std::vector<double> right = host_forward(model, input, 9);
  const std::vector<float> good(right.begin(), right.end());
  NetworkCheck check(model, input, batch);
  // The host computes the rows 0, 4 and 8.
  for (const std::size_t row : {0u, 4u, 8u}) {
    for (const float wrong : {good[row * 10 + 3] * 1.1f, std::nanf("")}) {
      std::vector<float> bad = good;
      bad[row * 10 + 3] = wrong;
      CHECK(
          check.wrong("bad", bad).find("bad computes output(" + std::to_string(row) + ", 3) = ") ==
          0);
    }
  }
  CHECK(check.wrong("good", good).empty());
  std::vector<float> other = good;
  other[57] *= 1.1f;
  CHECK(check.wrong("other", other).find("other computes output(5, 7) = ") == 0);
  CHECK(check.wrong("other", other).find("which good computes") != std::string::npos);
  NetworkCheck one(model, {input.begin(), input.begin() + 256}, 1);
  CHECK(one.wrong("good", {good.begin(), good.begin() + 10}).empty());
}

}  // namespace
}  // namespace tilewright
