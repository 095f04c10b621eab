// How layers are joined into parts, where the matrices between them are stored, and which plans
// are kept. No device is used.
#include "runtime/network/chain_parts.hpp"

#include "catch.hpp"
#include "runtime/network/mlp_plan.hpp"
#include "runtime/network/model/host_mlp.hpp"

namespace tilewright {
namespace {

using Kind = ChainPart::Kind;

AffineLayer affine(std::int64_t inputs, std::int64_t outputs, bool bias = true) {
  const std::vector<float> weights(static_cast<std::size_t>(inputs * outputs), 1.0f);
  return {"", inputs, outputs, weights,
          std::vector<float>(bias ? static_cast<std::size_t>(outputs) : 0, 1.0f)};
}

ActivationLayer make_layer(MlpActivation activation) {
  return {"", activation, 0.5f};
}

const ActivationLayer kNone = make_layer(MlpActivation::kIdentity);
const ActivationLayer kRelu = make_layer(MlpActivation::kRelu);
const ActivationLayer kLeaky = make_layer(MlpActivation::kLeakyRelu);
const ActivationLayer kSoftmax = make_layer(MlpActivation::kSoftmax);

TEST_CASE("one activation is fused into an affine layer") {
  const MlpModel model{{affine(3, 4), kNone, kRelu, affine(4, 5, false), kLeaky, kRelu, kSoftmax}};
  check_model(model);
  const auto parts = make_parts(model);
  REQUIRE(parts.size() == 4);
  CHECK((parts[0].kind == Kind::kProduct && parts[0].inputs == 3 && parts[0].outputs == 4));
  CHECK(parts[0].epilogue == LayerEpilogue{true, Activation::kRelu});
  CHECK(parts[0].name == "affine 3x4 + relu");
  CHECK(
      (parts[1].kind == Kind::kProduct && parts[1].product == 1 && parts[1].arguments[0] == 0.5f));
  CHECK(parts[1].epilogue == LayerEpilogue{false, Activation::kLeakyRelu});
  CHECK((parts[2].kind == Kind::kActivation && parts[2].inputs == 5 && parts[2].outputs == 5));
  CHECK(parts[2].epilogue == LayerEpilogue{false, Activation::kRelu});
  CHECK((parts[3].kind == Kind::kSoftmax && parts[3].outputs == 5));
}

TEST_CASE("operations on elements and activations between affine layers are one kernel") {
  const MlpOperand previous{kPreviousValue, {}};
  const OperationLayer exp{"", MlpOperation::kExp, {previous}, {}};
  const OperationLayer add{"", MlpOperation::kAdd, {previous, {kPreviousValue, {1, 2, 3, 4}}}, {}};
  const MlpModel model{{affine(3, 4), kRelu, exp, kLeaky, add, kLeaky, kRelu, affine(4, 2)}};
  check_model(model);
  const NetworkSteps steps = network_steps(model);
  REQUIRE(steps.steps.size() == 3);
  CHECK(std::get<KernelStep>(steps.steps[1]).name == "exp + leaky_relu + add + leaky_relu + relu");
  REQUIRE(steps.parts.size() == 2);
  CHECK(steps.parts[0].name == "affine 3x4 + relu");
  CHECK(steps.parts[1].name == "affine 4x2");
}

TEST_CASE(
    "products alternate between buffers, the last one writes the output, others work in place") {
  const auto places = [](const MlpModel& model) {
    std::vector<std::pair<MlpPlace, MlpPlace>> all;
    for (const ChainPart& part : make_parts(model)) all.emplace_back(part.from, part.to);
    return all;
  };
  using Places = std::vector<std::pair<MlpPlace, MlpPlace>>;
  constexpr auto kIn = MlpPlace::kInput;
  constexpr auto kEven = MlpPlace::kEven;
  constexpr auto kOdd = MlpPlace::kOdd;
  constexpr auto kOut = MlpPlace::kOutput;
  const AffineLayer same = affine(2, 2);
  CHECK(places({{same}}) == Places{{kIn, kOut}});
  CHECK(places({{same, kSoftmax}}) == Places{{kIn, kOut}, {kOut, kOut}});
  CHECK(places({{same, same, same, same}}) ==
        Places{{kIn, kEven}, {kEven, kOdd}, {kOdd, kEven}, {kEven, kOut}});
  CHECK(places({{kRelu, kSoftmax, same, kSoftmax, same, kRelu, kRelu}}) ==
        Places{
            {kIn, kEven}, {kEven, kEven}, {kEven, kOdd}, {kOdd, kOdd}, {kOdd, kOut}, {kOut, kOut}});
  CHECK(places({{kSoftmax, same}}) == Places{{kIn, kEven}, {kEven, kOut}});
}

TEST_CASE("the workspace holds the widest matrix of each of the two buffers, in whole vectors") {
  const auto parts =
      make_parts({{affine(3, 17), kRelu, affine(17, 40), affine(40, 5), affine(5, 2)}});
  std::vector<PlannedPart> planned(parts.size());
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    planned[i].made.elements = 3 * whole_vectors(static_cast<std::size_t>(parts[i].outputs)) - 1;
  }
  const MlpWorkspace workspace = lay_out(parts, planned);
  CHECK(workspace.even == 0);
  CHECK(workspace.odd == 3 * 32);
  CHECK(workspace.packed == 3 * (32 + 48));
  CHECK(workspace.between == workspace.packed);
  CHECK(workspace.whole.elements == workspace.packed);
}

TEST_CASE("the most recently used plans are kept") {
  MlpPlans plans;
  const auto insert = [&](std::int64_t batch) {
    auto plan = std::make_shared<MlpPlan>();
    plan->key.batch = batch;
    plans.insert(plan);
  };
  const auto knows = [&](std::int64_t batch) { return plans.find({batch}) != nullptr; };
  for (int batch = 1; batch <= 16; ++batch) insert(batch);
  CHECK(knows(1));
  insert(17);
  CHECK(knows(1));
  CHECK_FALSE(knows(2));
  CHECK(knows(3));
  insert(18);
  CHECK_FALSE(knows(4));
  CHECK((knows(3) && knows(1) && knows(17) && knows(18)));
  CHECK(plans.find({1, 4}) == nullptr);
}

TEST_CASE("the host's forward pass of a small network has the expected values") {
  const MlpModel model{{AffineLayer{"", 2, 3, {1, 2, 3, 4, 5, 6}, {0.5f, 0, -20}}, kLeaky,
                        AffineLayer{"", 3, 2, {1, 0, 0, 1, 1, 1}, {}}, kSoftmax}};
  // (1, 1): 5.5, 7, -11 -> 5.5, 7, -5.5 -> 0, 1.5.
  const auto out = host_forward(model, {1, 1, 0, 0}, 2);
  REQUIRE(out.size() == 4);
  CHECK(out[0] == Approx(1 / (1 + std::exp(1.5))));
  CHECK(out[0] + out[1] == Approx(1));
  // (0, 0): 0.5, 0, -20 -> 0.5, 0, -10 -> -9.5, -10.
  CHECK(out[2] == Approx(1 / (1 + std::exp(-0.5))));
  CHECK(host_forward(model, {}, 0).empty());
}

}  // namespace
}  // namespace tilewright
