// Tests the list of activations: each entry is complete, and its kernel computes its host function.
#include "profiles/activation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "runtime/check/kernel_check.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

TEST_CASE("each activation is at its position in the list, with unique names") {
  std::set<std::string_view> names;
  std::set<std::string_view> json_layers;
  for (std::size_t i = 0; i < kNumActivations; ++i) {
    const ActivationDescription& each = kActivations[i];
    INFO(each.name);
    CHECK(static_cast<std::size_t>(each.activation) == i);
    CHECK(names.insert(each.name).second);
    CHECK(json_layers.insert(each.json_layer).second);
    CHECK_FALSE(each.onnx_operator.empty());
    CHECK((each.function == nullptr) == each.text.empty());
    CHECK(each.parameters.size() <= ActivationArguments{}.size());
  }
}

// Values that were computed independently of the list, at -1.5, -0.25, 0.75 and 4.
TEST_CASE("the host functions of the list give the values of their definitions") {
  struct Values {
    Activation activation;
    ActivationArguments arguments;
    double at[4];
  };
  const Values expected[] = {
      {Activation::kIdentity, {}, {-1.5, -0.25, 0.75, 4}},
      {Activation::kRelu, {}, {0, 0, 0.75, 4}},
      {Activation::kLeakyRelu, {0.5f}, {-0.75, -0.125, 0.75, 4}},
      {Activation::kSigmoid, {}, {0.182425523806, 0.437823499114, 0.679178699175, 0.982013790038}},
      {Activation::kTanh, {}, {-0.905148253645, -0.244918662404, 0.635148952387, 0.9993292997391}},
      {Activation::kElu, {0.5f}, {-0.388434919926, -0.110599608464, 0.75, 4}},
      {Activation::kSelu, {}, {-1.365814353367, -0.388890197478, 0.788025740517, 4.202803949422}},
      {Activation::kSoftplus, {}, {0.201413277983, 0.575939419879, 1.136871006115, 4.018149927918}},
      {Activation::kHardSigmoid, {0.25f, 0.5f}, {0.125, 0.4375, 0.6875, 1}},
      {Activation::kHardSwish, {}, {-0.375, -0.114583333333, 0.46875, 4}},
      {Activation::kClip, {-1.0f, 3.0f}, {-1, -0.25, 0.75, 3}},
      {Activation::kGelu, {}, {-0.100210801903, -0.100323418579, 0.580029485717, 3.999873315033}},
      {Activation::kGeluTanh,
       {},
       {-0.100428423020, -0.100324649298, 0.579960555166, 3.999929754052}},
  };
  CHECK(std::size(expected) == kElementwiseActivations.size());
  const double points[] = {-1.5, -0.25, 0.75, 4};
  for (const Values& each : expected) {
    INFO(describe_activation(each.activation).name);
    for (int i = 0; i < 4; ++i) {
      CHECK(std::abs(activated(each.activation, points[i], each.arguments) - each.at[i]) < 1e-10);
    }
  }
}

KernelRecord make_kernel(Activation activation) {
  ActivationPoint point;
  point.activation = activation;
  return emit(point);
}

TEST_CASE("the kernel of each activation computes its host function, and not another one") {
  const TestDevice d;
  for (const Activation activation : kElementwiseActivations) {
    const KernelRecord record = make_kernel(activation);
    INFO(record.name);
    const auto kernel_error = check_kernel(d.executor, d.queue, *load_kernel(d, record));
    CHECK((kernel_error ? kernel_error->reason : "") == "");
    // The first other activation with the same arguments.
    const auto other = std::find_if(
        kElementwiseActivations.begin(), kElementwiseActivations.end(), [&](Activation each) {
          return each != activation && describe_activation(each).parameters.size() ==
                                           describe_activation(activation).parameters.size();
        });
    if (other == kElementwiseActivations.end()) continue;
    KernelRecord wrong = make_kernel(*other);
    wrong.activation = activation;
    INFO("instead of " << describe_activation(*other).name);
    CHECK(check_kernel(d.executor, d.queue, *load_kernel(d, wrong)));
  }
}

}  // namespace
}  // namespace tilewright
