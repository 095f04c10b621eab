#include "point_verdict.hpp"

#include "codelets/space/emit.hpp"
#include "runtime/device/device_identity.hpp"
#include "tuner/measure/device/device_choice.hpp"

namespace tilewright {

SpaceLimits generous_limits(const TestDevice& device) {
  SpaceLimits limits = describe_device({0, device.device, identify(device.device)}).limits;
  limits.register_floats = 512;
  limits.local_memory_is_dedicated = true;
  return limits;
}

std::string Verifier::verdict(const ParameterPoint& point) {
  return verdict(emit(point));
}

std::string Verifier::verdict(const KernelRecord& record) {
  const auto text = [](const KernelError& kernel_error) {
    return (kernel_error.kind == FailureKind::kLimits ? "too large: " : "") + kernel_error.reason;
  };
  Loaded loaded = device_.executor.load(record);
  if (const auto* kernel_error = std::get_if<KernelError>(&loaded)) return text(*kernel_error);
  const Verified verified = verifier_.verify(device_.executor, device_.queue,
                                             *std::get<std::unique_ptr<LoadedKernel>>(loaded));
  const auto* kernel_error = std::get_if<KernelError>(&verified);
  return kernel_error != nullptr ? text(*kernel_error) : "right";
}

}  // namespace tilewright
