// Is the kernel of a point right, whatever codelet it is of?
#pragma once

#include <span>
#include <string>

#include "codelets/point/validity.hpp"
#include "runtime/check/kernel_check.hpp"
#include "test_device.hpp"

namespace tilewright {

// The device's limits, with registers enough for everything, and with local memory as if it were
// memory of its own: whether it pays does not matter here.
SpaceLimits generous_limits(const TestDevice& device);

class Verifier {
 public:
  explicit Verifier(const TestDevice& device, std::span<const GemmShape> shapes = awkward_shapes())
      : device_(device), verifier_(shapes) {}

  // "right", or "too large: ..." where the driver has less to give to this kernel than the device
  // has in general (it says so after compiling), or what is wrong.
  std::string verdict(const ParameterPoint& point);
  std::string verdict(const KernelRecord& record);

 private:
  const TestDevice& device_;
  KernelVerifier verifier_;
};

}  // namespace tilewright
