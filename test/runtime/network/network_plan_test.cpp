// Where the values between the steps of a network are stored, and which plans are kept. No device
// is used.
#include "runtime/network/network_plan.hpp"

#include <cstddef>
#include <utility>

#include "catch.hpp"
#include "network/plain_layers.hpp"

namespace tilewright {
namespace {

// The floats of a batch of 3 between the layers.
std::size_t floats_between(const NetworkModel& model, std::vector<ValuePlace>& places,
                           Precision precision = Precision::kSingle) {
  const NetworkSteps steps = network_steps(model);
  std::vector<bool> values(steps.widths.size(), true);
  values.front() = values.back() = false;  // the input and the output
  return place_values(steps, values, 3, precision, places);
}

TEST_CASE("values that are needed at the same time do not overlap, in rows of whole vectors") {
  const ActivationLayer relu = make_layer(Activation::kRelu);
  std::vector<ValuePlace> places;
  const NetworkModel model{{affine(3, 17), relu, affine(17, 40), affine(40, 5), affine(5, 2)}};
  // The results of two consecutive products.
  CHECK(floats_between(model, places) == 3 * (32 + 48));
  CHECK((places[2].offset == 0 && places[2].ld == 32));
  CHECK((places[3].offset == 3 * 32 && places[3].ld == 48));
  CHECK((places[4].offset == 0 && places[4].ld == 16));
  // In half precision the same number of elements needs half as many floats.
  CHECK(floats_between({{affine(3, 32), affine(32, 2)}}, places) == 3 * 32);
  CHECK(floats_between({{affine(3, 32), affine(32, 2)}}, places, Precision::kHalf) == 3 * 16);
}

TEST_CASE("the workspace is limited to a size that cannot be allocated") {
  const NetworkSteps steps = network_steps({{affine(2, 20), affine(20, 2)}});
  std::vector<ValuePlace> places;
  CHECK(place_values(steps, {false, true, false}, 2'000'000'000, Precision::kSingle, places) ==
        (sizeof(std::size_t) == 4 ? kMaxElements : std::size_t{2'000'000'000} * 32));
  CHECK(lay_out(kMaxElements, {}).whole.elements == kMaxElements);
}

// A product whose kernels pack A and write a temporary of these sizes; 0: do not.
PlannedStep product_step(std::size_t packed, bool image, std::size_t between, Precision precision) {
  static std::byte loaded;  // stands for the pack kernel, which lay_out() does not use
  Route route;
  route.storage.a = {Layout::R(), image, 1, 0, 0, packed, precision};
  if (packed > 0) {
    route.kernels[CallStep::kPackA] = reinterpret_cast<LoadedKernel*>(&loaded);
  }
  if (between > 0) route.storage.between = Storage{Layout::R(), false, 1, 0, 0, between, {}};
  PlannedStep step;
  step.product = std::make_shared<const PlannedRoute>(PlannedRoute{std::move(route), "", ""});
  return step;
}

TEST_CASE("the workspace has the largest packed A and the largest temporary after the values") {
  const auto laid_out = [](const std::vector<PlannedStep>& steps) {
    const NetworkWorkspace workspace = lay_out(160, steps);
    CHECK(workspace.packed == 160);
    CHECK(workspace.whole.columns == static_cast<std::int64_t>(workspace.whole.elements));
    return std::pair(workspace.between, workspace.whole.elements);
  };
  using Sizes = std::pair<std::size_t, std::size_t>;  // before the temporary, and of the whole
  const auto single = Precision::kSingle;
  CHECK(laid_out({PlannedStep{}}) == Sizes(160, 160));
  CHECK(laid_out({product_step(0, false, 0, single)}) == Sizes(160, 160));
  // Each of them is rounded up to whole vectors of 16, and products follow each other.
  CHECK(laid_out({product_step(40, false, 5, single), PlannedStep{},
                  product_step(17, false, 33, single)}) == Sizes(160 + 48, 160 + 48 + 48));
  // Half precision needs half as many floats, and images are not in the workspace.
  CHECK(laid_out({product_step(64, false, 0, Precision::kHalf),
                  product_step(999, true, 16, single)}) == Sizes(160 + 32, 160 + 32 + 16));
}

TEST_CASE("the most recently used plans are kept") {
  NetworkPlans plans;
  const auto insert = [&](std::int64_t batch) {
    plans.insert({batch}, std::make_shared<NetworkPlan>());
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
  // A plan replaces that for the same key, and no other one.
  const auto other = std::make_shared<NetworkPlan>();
  plans.insert({18}, other);
  CHECK(plans.find({18}) == other);
  CHECK((knows(3) && knows(5)));
}

TEST_CASE("plans that were only asked about do not replace those of forward passes") {
  NetworkPlans plans;
  const auto used = std::make_shared<NetworkPlan>();
  used->has_weights = true;
  plans.insert({1000}, used);
  for (int batch = 1; batch <= 40; ++batch) plans.insert({batch}, std::make_shared<NetworkPlan>());
  CHECK(plans.find({1000}) == used);
  CHECK(plans.find({40}) != nullptr);
  // Not even if all plans are those of forward passes.
  const auto insert_used = [&](std::int64_t batch) {
    const auto plan = std::make_shared<NetworkPlan>();
    plan->has_weights = true;
    plans.insert({batch}, plan);
  };
  for (int batch = 1; batch <= 15; ++batch) insert_used(batch);
  plans.insert({50}, std::make_shared<NetworkPlan>());
  for (int batch = 1; batch <= 15; ++batch) CHECK(plans.find({batch}) != nullptr);
  CHECK(plans.find({1000}) == used);
  CHECK(plans.find({50}) == nullptr);
  insert_used(50);
  CHECK(plans.find({50}) != nullptr);
}

}  // namespace
}  // namespace tilewright
