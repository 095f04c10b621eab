#include "point_verdict.hpp"

#include "codelets/space/emit.hpp"
#include "runtime/check/kernel_check.hpp"
#include "runtime/device/device_identity.hpp"
#include "tuner/device/device_choice.hpp"
#include "tuner/measure/verification.hpp"

namespace tilewright {

SpaceLimits generous_limits(const TestDevice& device) {
  SpaceLimits limits = space_limits({0, device.device, identify(device.device)});
  limits.register_floats = 512;
  limits.local_memory_is_dedicated = true;
  return limits;
}

std::optional<Rejection> Verifier::verify(LoadedKernel& kernel) {
  if (!is_product(kernel.record().role)) {
    return check_kernel(device_.executor, device_.queue, kernel);
  }
  const Verified verified =
      verify_kernel(device_.executor, device_.queue, kernel, cases_.of(kernel.record()));
  const auto* rejection = std::get_if<Rejection>(&verified);
  return rejection == nullptr ? std::nullopt : std::optional(*rejection);
}

std::string Verifier::verdict(const ParameterPoint& point) {
  return verdict(emit(point));
}

std::string Verifier::verdict(const KernelRecord& record) {
  const auto text = [](const Rejection& rejection) {
    return (rejection.stage == Stage::kLimits ? "too large: " : "") + rejection.reason;
  };
  Loaded loaded = device_.executor.load(record);
  if (const auto* rejection = std::get_if<Rejection>(&loaded)) return text(*rejection);
  const auto rejection = verify(*std::get<std::unique_ptr<LoadedKernel>>(loaded));
  return rejection ? text(*rejection) : "right";
}

}  // namespace tilewright
