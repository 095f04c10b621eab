// The list of activations: each entry is complete, and its kernel computes its host function.
#include "activations/activation.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "codelets/space/emit.hpp"
#include "runtime/check/kernel_check.hpp"
#include "test_device.hpp"

namespace tilewright {
namespace {

TEST_CASE("each activation stands at its place in the list, with names of its own") {
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

KernelRecord kernel_of(Activation activation) {
  ActivationPoint point;
  point.activation = activation;
  return emit(point);
}

TEST_CASE("the kernel of each activation computes its host function, and that of no other") {
  const TestDevice d;
  for (const Activation activation : kElementwiseActivations) {
    const KernelRecord record = kernel_of(activation);
    INFO(record.name);
    const auto rejection = check_kernel(d.executor, d.queue, *load_kernel(d, record));
    CHECK((rejection ? rejection->reason : "") == "");
    // The first other one with the same arguments.
    const auto other = std::find_if(
        kElementwiseActivations.begin(), kElementwiseActivations.end(), [&](Activation each) {
          return each != activation && description_of(each).parameters.size() ==
                                           description_of(activation).parameters.size();
        });
    if (other == kElementwiseActivations.end()) continue;
    KernelRecord wrong = kernel_of(*other);
    wrong.activation = activation;
    INFO("instead of " << description_of(*other).name);
    CHECK(check_kernel(d.executor, d.queue, *load_kernel(d, wrong)));
  }
}

}  // namespace
}  // namespace tilewright
