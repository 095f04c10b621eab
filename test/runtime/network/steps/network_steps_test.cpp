// How a network is divided into steps. No device is used.
#include "runtime/network/steps/network_steps.hpp"

#include "catch.hpp"
#include "network/plain_layers.hpp"

namespace tilewright {
namespace {

TEST_CASE("operations on elements and activations between affine layers are one kernel") {
  const NetworkOperand previous{kPreviousValue, {}};
  const OperationLayer exp{"", NetworkOperation::kExp, {previous}, {}};
  const OperationLayer add{
      "", NetworkOperation::kAdd, {previous, {kPreviousValue, {1, 2, 3, 4}}}, {}};
  const NetworkModel model{
      {affine(3, 4), kReluLayer, exp, kLeakyLayer, add, kLeakyLayer, kReluLayer, affine(4, 2)}};
  const NetworkSteps steps = network_steps(model);
  REQUIRE(steps.steps.size() == 3);
  CHECK(std::get<KernelStep>(steps.steps[1]).name == "exp + leaky_relu + add + leaky_relu + relu");
  CHECK(std::get<LayerStep>(steps.steps[0]).name == "affine 3x4 + relu");
  CHECK(std::get<LayerStep>(steps.steps[2]).name == "affine 4x2");
}

}  // namespace
}  // namespace tilewright
