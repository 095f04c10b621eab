// The kernels of steps, and those of complex products, on devices with small work-groups. No device
// is used.
#include "runtime/network/steps/step_kernel.hpp"

#include "catch.hpp"
#include "profiles/work_group.hpp"
#include "runtime/complex/complex_kernels.hpp"
#include "runtime/network/model/model_rules.hpp"
#include "runtime/network/steps/network_steps.hpp"

namespace tilewright {
namespace {

TEST_CASE("kernels of operations and of complex products run in any work-group") {
  NetworkModel model;
  const NetworkOperand value{kPreviousValue, {}};
  model.layers = {
      AffineLayer{"", 4, 4, std::vector<float>(16), {}},
      OperationLayer{"", NetworkOperation::kMultiply, {value, {kPreviousValue, {1, 2, 3, 4}}}, {}},
      OperationLayer{"", NetworkOperation::kSelect, {value}, {3, 0, 2, 1}},
      OperationLayer{"", NetworkOperation::kSum, {value}, {2}}};
  REQUIRE_FALSE(find_fault(model));
  std::size_t kernels = 0;
  const NetworkSteps steps = network_steps(model);
  for (const NetworkStep& step : steps.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    if (kernel == nullptr) continue;
    ++kernels;
    for (const Precision precision : {Precision::kSingle, Precision::kHalf}) {
      for (const int width : {1, 4, 16}) {
        const KernelRecord record = step_kernel(*kernel, steps, precision, width);
        CHECK(runs_in_any_work_group(record));
        CHECK(record.role == Role::kStep);
      }
    }
  }
  CHECK(kernels > 0);
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    for (const bool aligned : {false, true}) {
      KernelRecord record;
      record.source = complex_source(precision, aligned);
      CHECK(runs_in_any_work_group(record));
    }
  }
}

}  // namespace
}  // namespace tilewright
