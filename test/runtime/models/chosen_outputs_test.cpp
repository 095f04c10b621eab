#include "catch.hpp"
#include "model_files.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("outputs of a model are chosen by name, in any order") {
  const NetworkModel model = policy_model();
  CHECK(choose_network_outputs(model, {}) == model);
  const NetworkModel two = choose_network_outputs(model, {"advantage", "policy"});
  CHECK(output_names(two) == std::vector<std::string>{"advantage", "policy"});
  CHECK(two.inputs.size() == 2);
  const NetworkModel one = choose_network_outputs(model, {"value"});
  CHECK(output_names(one) == std::vector<std::string>{"value"});
  REQUIRE(one.inputs.size() == 1);
  CHECK(one.inputs[0].name == "state");
  CHECK(one.layers.size() == 1);
}

TEST_CASE("a model without the first output of its file is refused unless outputs are chosen") {
  const TemporaryFolder folder;
  const NetworkModel model = read_network_model(write_without_policy(folder));
  CHECK(output_names(choose_network_outputs(model, {"advantage", "value"})) ==
        std::vector<std::string>{"advantage", "value"});
  const auto thrown_message = [&](const std::vector<std::string>& names) {
    return refusal<ModelError>([&] { choose_network_outputs(model, names, "net.onnx"); });
  };
  const std::string first = thrown_message({});
  CHECK_THAT(first, ContainsSubstring("'net.onnx': the first output, 'policy'"));
  CHECK_THAT(first, ContainsSubstring("(LSTM"));
  CHECK_THAT(first, ContainsSubstring("'LSTM'"));
  CHECK_THAT(first, ContainsSubstring("'value', 'advantage'"));
  const std::string skipped = thrown_message({"value", "policy"});
  CHECK_THAT(skipped, ContainsSubstring("'net.onnx': the output 'policy'"));
  CHECK_THAT(skipped, ContainsSubstring("'LSTM'"));
  CHECK_THAT(skipped, ContainsSubstring("'value', 'advantage'"));
  const std::string unknown = thrown_message({"price"});
  CHECK_THAT(unknown, ContainsSubstring("no output 'price'; it has 'value', 'advantage'"));
  CHECK_THAT(unknown, ContainsSubstring("'LSTM'"));
  CHECK_THAT(thrown_message({"value", "value"}), ContainsSubstring("'value' is chosen twice"));
}

TEST_CASE("an unknown output is answered with all outputs and why some are not computed") {
  NetworkModel model = policy_model();
  model.skipped_outputs = {{"label", "is not a float matrix", false}, {"", "is a constant", false}};
  CHECK_THAT(refusal<ModelError>([&] { choose_network_outputs(model, {"price"}); }),
             ContainsSubstring("it has 'policy', 'value', 'advantage' (floats); not computed: "
                               "'label' (is not a float matrix), '' (is a constant)"));
}

TEST_CASE("a model without the labels of its file has the first output of floats") {
  NetworkModel model = policy_model();
  model.skipped_outputs = {{"label", "is not a float matrix", false}};
  CHECK(choose_network_outputs(model, {}) == model);
}

}  // namespace
}  // namespace tilewright
