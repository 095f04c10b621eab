// Checks whether the kernel of a point is correct, for any codelet.
#pragma once

#include <span>
#include <string>

#include "codelets/point/validity.hpp"
#include "runtime/check/kernel_check.hpp"
#include "test_device.hpp"

namespace tilewright {

// Returns the device's limits with sufficient registers for every kernel and with dedicated local
// memory. Whether these are fast does not matter here.
SpaceLimits generous_limits(const TestDevice& device);

class Verifier {
 public:
  explicit Verifier(const TestDevice& device, std::span<const GemmShape> shapes = awkward_shapes())
      : device_(device), verifier_(shapes) {}

  // Returns "right"; "too large: ..." if the driver has fewer resources for this kernel than the
  // device in general, which is known only after compilation; or a description of the error.
  std::string verdict(const ParameterPoint& point);
  std::string verdict(const KernelRecord& record);

 private:
  const TestDevice& device_;
  KernelVerifier verifier_;
};

}  // namespace tilewright
