#include <algorithm>
#include <cmath>
#include <system_error>

#include "catch.hpp"
#include "model_files.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

std::string thrown_message(const NetworkModel& model) {
  return refusal<ModelError>([&] { check_network_model(model); });
}

TEST_CASE("invalid models are refused") {
  const NetworkModel right = sample_model();
  CHECK_NOTHROW(check_network_model(right));

  CHECK_THAT(thrown_message({}), Catch::Matchers::Equals("model: has no layers"));
  CHECK_THAT(thrown_message({{activation_layer(Activation::kRelu)}}),
             ContainsSubstring("unknown number of columns"));

  NetworkModel model = right;
  auto& named = std::get<AffineLayer>(model.layers[2]);
  named.weights.pop_back();
  CHECK_THAT(thrown_message(model),
             Catch::Matchers::Equals("model: layer 3 ('/fc2/Gemm'): has 19 weights, not 5 x 4"));
  named.weights.resize(24);
  named.inputs = 6;
  CHECK_THAT(thrown_message(model), ContainsSubstring("layer 3 ('/fc2/Gemm'): has 6 inputs"));
  named.inputs = 0;
  CHECK_THAT(thrown_message(model), ContainsSubstring("0 inputs"));
  named.inputs = std::int64_t{1} << 62;
  CHECK_THAT(thrown_message(model), ContainsSubstring("4611686018427387904 inputs"));
  named.inputs = -5;
  CHECK_THAT(thrown_message(model), ContainsSubstring("has -5 inputs"));

  model = right;
  std::get<AffineLayer>(model.layers[0]).bias.pop_back();
  CHECK_THAT(thrown_message(model), ContainsSubstring("layer 1: has 4 biases"));

  model = right;
  std::get<ActivationLayer>(model.layers[1]).activation = static_cast<Activation>(77);
  CHECK_THAT(thrown_message(model), ContainsSubstring("layer 2: has the unknown activation"));

  model = right;
  std::get<ActivationLayer>(model.layers[1]) = {"", Activation::kElu, NAN};
  CHECK_THAT(thrown_message(model), ContainsSubstring("layer 2: has slope nan"));
  std::get<ActivationLayer>(model.layers[1]) = {"", Activation::kClip, 0, 0, 1.0f, 0.5f};
  CHECK_THAT(thrown_message(model), ContainsSubstring("layer 2: has low 1"));

  model = right;
  model.outputs = {{"", static_cast<NetworkValue>(model.layers.size() + 1)}};
  CHECK_THAT(thrown_message(model), ContainsSubstring("output with value"));

  for (const auto& groups : std::vector<std::vector<std::int64_t>>{{0}, {1, 1}}) {
    model = right;
    model.layers.push_back(
        OperationLayer{"", NetworkOperation::kSum, {{kPreviousValue, {}}}, groups});
    CHECK_THAT(thrown_message(model), ContainsSubstring("groups"));
  }

  model = right;
  std::get<AffineLayer>(model.layers[0]).weights[0] = NAN;
  CHECK_NOTHROW(check_network_model(model));
}

TEST_CASE("errors have file, place and reason, together and separately") {
  const TemporaryFolder folder;
  const std::string path = written(folder, "net.json", "{\"layers\": [{\"layer\": 1}]}");
  try {
    read_network_model(path);
    FAIL("read");
  } catch (const ModelError& error) {
    CHECK(error.file() == path);
    CHECK(error.place() == "layer 1");
    CHECK_THAT(error.reason(), ContainsSubstring("'layer' must be a string"));
    CHECK(error.what() == "'" + path + "': layer 1: key 'layer' must be a string");
  }
}

TEST_CASE("the extension selects the format") {
  const TemporaryFolder folder;
  const auto said = [](const std::string& path) {
    return refusal<ModelError>([&] { read_network_model(path); });
  };
  CHECK_THAT(said("net.pt"), ContainsSubstring("'net.pt': has the extension '.pt'"));
  CHECK_THAT(said("net"), ContainsSubstring("extension ''"));
  CHECK_THAT(said(folder.file("none.json")), ContainsSubstring("none.json'"));
  CHECK_THAT(
      refusal<ModelError>([&] { write_network_model(sample_model(), folder.file("net.h5")); }),
      ContainsSubstring("has the extension '.h5'"));
  CHECK_THROWS_AS(write_network_model(sample_model(), folder.file("none/net.json")),
                  std::system_error);
  // An invalid model leaves no files.
  CHECK_THROWS_AS(write_network_model({}, folder.file("net.json")), ModelError);
  CHECK(written_network_files(sample_model(), "net.onnx").size() == 1);
  CHECK(written_network_files(sample_model(), "net.json").size() > 1);
  CHECK(std::filesystem::is_empty(folder.path()));
}

// The widths of the affine layers. Checks their biases, and that the activation follows each
// affine layer except the last one.
std::vector<std::int64_t> layer_widths(const NetworkModel& model,
                                       Activation activation = Activation::kRelu) {
  std::vector<std::int64_t> widths{std::get<AffineLayer>(model.layers.front()).inputs};
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (i % 2 == 1) {
      CHECK(std::get<ActivationLayer>(model.layers[i]).activation == activation);
      continue;
    }
    const auto& layer = std::get<AffineLayer>(model.layers[i]);
    CHECK(layer.bias.size() == static_cast<std::size_t>(layer.outputs));
    widths.push_back(layer.outputs);
  }
  return widths;
}

TEST_CASE("presets are the networks of Tables 10.1 to 10.4", "[long]") {
  using Widths = std::vector<std::int64_t>;
  CHECK(preset_names() == std::vector<std::string>{"full-mnist", "full-cifar", "partial-mnist",
                                                   "partial-cifar", "sigmoid-mnist"});
  CHECK(layer_widths(preset_model("full-mnist", 1)) == Widths{784, 2500, 2000, 10});
  CHECK(layer_widths(preset_model("full-cifar", 1)) == Widths{3072, 4096, 3072, 10});
  CHECK(layer_widths(preset_model("partial-mnist", 1)) == Widths{640, 150, 10});
  CHECK(layer_widths(preset_model("partial-cifar", 1)) == Widths{256, 128, 10});
  CHECK(layer_widths(preset_model("sigmoid-mnist", 1), Activation::kSigmoid) ==
        Widths{784, 100, 100, 10});
  for (const std::string& name : preset_names())
    CHECK_NOTHROW(check_network_model(preset_model(name, 2)));
  CHECK_THAT(refusal<ModelError>([] { preset_model("mnist", 1); }),
             ContainsSubstring("preset 'mnist'"));
}

TEST_CASE("the weights of a preset are uniform, scaled, and determined by the seed") {
  const NetworkModel model = preset_model("partial-cifar", 7);
  CHECK(model == preset_model("partial-cifar", 7));
  CHECK_FALSE(model == preset_model("partial-cifar", 8));
  const auto& layer = std::get<AffineLayer>(model.layers.front());
  const auto [least, most] = std::minmax_element(layer.weights.begin(), layer.weights.end());
  CHECK(*least >= -1.0f / 16);  // sqrt(256)
  CHECK(*least < -0.99f / 16);
  CHECK(*most < 1.0f / 16);
  CHECK(*most > 0.99f / 16);
  double sum = 0.0, squares = 0.0;
  for (const float weight : layer.weights) {
    sum += weight;
    squares += double{weight} * weight;
  }
  const auto count = static_cast<double>(layer.weights.size());
  CHECK(std::abs(sum / count) < 0.01 / 16);
  CHECK(squares / count == Approx(1.0 / 3 / 256).epsilon(0.03));
}

}  // namespace
}  // namespace tilewright
