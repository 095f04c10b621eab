// How affine layers and activations are joined into steps. No device is used.
#include "runtime/network/steps/layer_steps.hpp"

#include "catch.hpp"
#include "network/plain_layers.hpp"

namespace tilewright {
namespace {

using Kind = LayerStep::Kind;

const ActivationLayer kNone = make_layer(Activation::kIdentity);

TEST_CASE("one activation is fused into an affine layer") {
  const auto steps = layer_steps({{affine(3, 4), kNone, kReluLayer, affine(4, 5, false),
                                   kLeakyLayer, kReluLayer, kSoftmaxLayer}});
  REQUIRE(steps.size() == 4);
  CHECK((steps[0].kind == Kind::kProduct && steps[0].inputs == 3 && steps[0].outputs == 4));
  CHECK(steps[0].epilogue == LayerEpilogue{true, Activation::kRelu});
  CHECK(steps[0].name == "affine 3x4 + relu");
  CHECK(
      (steps[1].kind == Kind::kProduct && steps[1].product == 1 && steps[1].arguments[0] == 0.5f));
  CHECK(steps[1].epilogue == LayerEpilogue{false, Activation::kLeakyRelu});
  CHECK((steps[2].kind == Kind::kActivation && steps[2].inputs == 5 && steps[2].outputs == 5));
  CHECK(steps[2].epilogue == LayerEpilogue{false, Activation::kRelu});
  CHECK((steps[3].kind == Kind::kSoftmax && steps[3].outputs == 5));
}

// Value 0 is the input of the network, value i the result of layer i.
TEST_CASE("activations and softmax work in place on the result of the step before them") {
  using Ends = std::vector<std::pair<NetworkValue, NetworkValue>>;
  const auto ends = [](const NetworkModel& model) {
    Ends all;
    for (const LayerStep& step : layer_steps(model)) all.emplace_back(step.from, step.to);
    return all;
  };
  const AffineLayer same = affine(2, 2);
  CHECK(ends({{same}}) == Ends{{0, 1}});
  CHECK(ends({{same, kSoftmaxLayer}}) == Ends{{0, 2}, {2, 2}});
  CHECK(ends({{same, kReluLayer, same, kNone}}) == Ends{{0, 2}, {2, 4}});
  CHECK(ends({{same, same, same}}) == Ends{{0, 1}, {1, 2}, {2, 3}});
  CHECK(ends({{kNone, kReluLayer, kSoftmaxLayer, same, kSoftmaxLayer, same, kReluLayer,
               kReluLayer}}) == Ends{{0, 3}, {3, 3}, {3, 5}, {5, 5}, {5, 8}, {8, 8}});
}

}  // namespace
}  // namespace tilewright
