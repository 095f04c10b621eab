// Tests what a tuning for a network must measure, without a device.
#include "tuner/cli/network_needs.hpp"

#include "runtime/models/network_files.hpp"

#include "catch.hpp"
#include "profiles/base/usage_error.hpp"

namespace tilewright {
namespace {

AffineLayer affine(std::int64_t inputs, std::int64_t outputs, bool bias) {
  AffineLayer layer;
  layer.inputs = inputs;
  layer.outputs = outputs;
  layer.weights.resize(static_cast<std::size_t>(inputs * outputs));
  if (bias) layer.bias.resize(static_cast<std::size_t>(outputs));
  return layer;
}

ActivationLayer make_layer(Activation activation) {
  return {"", activation, 0.125f};
}

using Shapes = std::vector<GemmShape>;
using Activations = std::vector<Activation>;

TEST_CASE("a network needs one product for each layer and batch size, and its activations") {
  const NetworkModel model{{affine(784, 30, true), make_layer(Activation::kTanh),
                            affine(30, 30, true), make_layer(Activation::kTanh),
                            affine(30, 30, true), make_layer(Activation::kTanh),
                            affine(30, 10, true), make_layer(Activation::kSoftmax)}};
  const NetworkNeeds needs = network_needs(model, {1, 100});
  CHECK(
      needs.shapes ==
      Shapes{{1, 30, 784}, {100, 30, 784}, {1, 30, 30}, {100, 30, 30}, {1, 10, 30}, {100, 10, 30}});
  CHECK(needs.activations == Activations{Activation::kTanh, Activation::kIdentity});
  CHECK(needs.softmax);
}

TEST_CASE("a layer without bias and activation needs only its product") {
  const NetworkNeeds needs = network_needs({{affine(5, 3, false), affine(3, 2, false)}}, {7});
  CHECK(needs.shapes == Shapes{{7, 3, 5}, {7, 2, 3}});
  CHECK(needs.activations.empty());
  CHECK_FALSE(needs.softmax);
  // An activation without a bias is computed together with a bias of zeros.
  CHECK(
      network_needs({{affine(5, 3, false), make_layer(Activation::kLeakyRelu)}}, {7}).activations ==
      Activations{Activation::kLeakyRelu});
  // An activation without a product before it.
  CHECK(network_needs({{make_layer(Activation::kSigmoid), affine(5, 3, false)}}, {7}).activations ==
        Activations{Activation::kSigmoid});
}

TEST_CASE("the networks of the thesis need only relu and a bias", "[long]") {
  for (const std::string& name : preset_names()) {
    INFO(name);
    const NetworkNeeds needs = network_needs(preset_model(name, 1), {100});
    const Activation between = name == "sigmoid-mnist" ? Activation::kSigmoid : Activation::kRelu;
    CHECK(needs.activations == Activations{between, Activation::kIdentity});
    CHECK_FALSE(needs.softmax);
    for (const GemmShape& shape : needs.shapes) CHECK(shape.m == 100);
  }
}

TEST_CASE("lists of activations are parsed") {
  CHECK(parse_activations("--activations", "none").empty());
  CHECK(parse_activations("--activations", "relu,identity,relu") ==
        Activations{Activation::kRelu, Activation::kIdentity});
  for (const char* wrong : {"", "relu,", "softmax", "relu none"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_activations("--activations", wrong), UsageError);
  }
}

}  // namespace
}  // namespace tilewright
