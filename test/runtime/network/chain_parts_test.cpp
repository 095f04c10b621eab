// How layers are joined into parts, where the matrices between them are stored, and which plans
// are kept. No device is used.
#include "runtime/network/chain_parts.hpp"

#include "catch.hpp"
#include "network/plain_layers.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "runtime/network/network_plan.hpp"

namespace tilewright {
namespace {

using Kind = ChainPart::Kind;

const ActivationLayer kNone = make_layer(NetworkActivation::kIdentity);
const ActivationLayer kRelu = make_layer(NetworkActivation::kRelu);
const ActivationLayer kLeaky = make_layer(NetworkActivation::kLeakyRelu);
const ActivationLayer kSoftmax = make_layer(NetworkActivation::kSoftmax);

TEST_CASE("one activation is fused into an affine layer") {
  const NetworkModel model{
      {affine(3, 4), kNone, kRelu, affine(4, 5, false), kLeaky, kRelu, kSoftmax}};
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

TEST_CASE(
    "products alternate between buffers, the last one writes the output, others work in place") {
  const auto places = [](const NetworkModel& model) {
    std::vector<std::pair<NetworkPlace, NetworkPlace>> all;
    for (const ChainPart& part : make_parts(model)) all.emplace_back(part.from, part.to);
    return all;
  };
  using Places = std::vector<std::pair<NetworkPlace, NetworkPlace>>;
  constexpr auto kIn = NetworkPlace::kInput;
  constexpr auto kEven = NetworkPlace::kEven;
  constexpr auto kOdd = NetworkPlace::kOdd;
  constexpr auto kOut = NetworkPlace::kOutput;
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
  const NetworkWorkspace workspace = lay_out(parts, planned);
  CHECK(workspace.even == 0);
  CHECK(workspace.odd == 3 * 32);
  CHECK(workspace.packed == 3 * (32 + 48));
  CHECK(workspace.between == workspace.packed);
  CHECK(workspace.whole.elements == workspace.packed);
}

TEST_CASE("the most recently used plans are kept") {
  NetworkPlans plans;
  const auto insert = [&](std::int64_t batch) {
    auto plan = std::make_shared<NetworkPlan>();
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

}  // namespace
}  // namespace tilewright
