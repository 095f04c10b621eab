// Devices with small work-groups, or with work-groups of one dimension: built-in kernels exist for
// every product and layer. Uses artificial limits and no device.
#include "catch.hpp"
#include "plan_records.hpp"
#include "profiles/built_in.hpp"
#include "runtime/plan/layer_kernels.hpp"

namespace tilewright {
namespace {

std::vector<DeviceLimits> small_limits() {
  return {{1024, {1024, 1}, 32 << 10, true, true},
          {128, {128, 2}, 32 << 10, true, false},
          {63, {63, 63}, 32 << 10, true, false},
          {32, {32, 32}, 1 << 10, true, false},
          {4, {4, 1}, 0, true, false},
          {1, {1, 1}, 0, true, false}};
}

DeviceInfo device_with(const DeviceLimits& limits, DeviceKind kind) {
  DeviceInfo device = offering(limits, 1 << 14, std::uint64_t{1} << 30);
  device.kind = kind;
  device.has_double = true;
  device.native_vector_width = kind == DeviceKind::kCpu ? 8 : 1;
  device.identity.compute_units = 4;
  device.identity.max_clock_mhz = 1000;
  return device;
}

TEST_CASE("every product, activation and softmax has a built-in kernel for small work-groups") {
  for (const DeviceLimits& limits : small_limits()) {
    for (const DeviceKind kind : {DeviceKind::kGpu, DeviceKind::kCpu}) {
      const DeviceInfo device = device_with(limits, kind);
      const Profile built_in = built_in_profile(device);
      const MeasuredTimes times({&built_in});
      INFO(limits.max_work_group_size << " " << limits.max_work_item_sizes[1]);
      for (const Precision precision : {Precision::kSingle, Precision::kHalf}) {
        for (int i = 0; i < static_cast<int>(kNumActivations); ++i) {
          const auto activation = static_cast<Activation>(i);
          INFO(i);
          if (!is_elementwise(activation)) {
            // Kernels of the plain softmax have no activation.
            const Activation applied =
                activation == Activation::kSoftmax ? Activation::kIdentity : activation;
            CHECK_FALSE(rank_softmaxes({&built_in}, times, limits, precision, applied).empty());
            continue;
          }
          for (const bool bias : {false, true}) {
            GemmProblem problem = make_problem(Op::kNN, {100, 32, 64});
            problem.precision = precision;
            problem.epilogue = {bias, activation};
            CHECK_FALSE(rank_plans({&built_in}, device, problem).empty());
          }
        }
      }
      for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
        GemmProblem problem = make_problem(op, {33, 17, 40});
        problem.precision = Precision::kDouble;
        CHECK_FALSE(rank_plans({&built_in}, device, problem).empty());
      }
    }
  }
}

}  // namespace
}  // namespace tilewright
