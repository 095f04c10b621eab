#include "codelets/space/tuned_points.hpp"

#include <set>

#include "catch.hpp"
#include "codelets/point/validity.hpp"
#include "profiles/built_in.hpp"

namespace tilewright {
namespace {

DeviceInfo gpu(bool dedicated) {
  DeviceInfo device;
  device.limits = {{1024, {1024, 1024}, 49152, dedicated, true}, 16, 256};
  device.identity.limits = device.limits;
  device.identity.compute_units = 132;
  device.side_by_side = true;
  device.kind = DeviceKind::kGpu;
  return device;
}

TEST_CASE("points of tuned GPUs are different from each other and from built-in ones, and valid") {
  const DeviceInfo device = gpu(true);
  std::set<std::string> texts;
  for (const ParameterPoint& point : tuned_points(device)) {
    INFO(to_text(point));
    CHECK(broken_rule(point, device.limits) == nullptr);
    CHECK(texts.insert(to_text(point)).second);
  }
  for (const KernelRecord& kernel : built_in_profile(device).kernels) {
    INFO(kernel.name);
    CHECK_FALSE(texts.contains(to_text(parse_point(kernel.point))));
  }
  CHECK_FALSE(texts.empty());
}

TEST_CASE("devices of other classes have no points of tuned devices") {
  CHECK(tuned_points(gpu(false)).empty());
  DeviceInfo cpu = gpu(true);
  cpu.kind = DeviceKind::kCpu;
  CHECK(tuned_points(cpu).empty());
}

}  // namespace
}  // namespace tilewright
