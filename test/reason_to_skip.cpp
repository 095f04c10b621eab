#include "test_device.hpp"

namespace tilewright {

std::optional<std::string> reason_to_skip() {
  if (find_test_device()) return std::nullopt;
  return "no OpenCL device (TILEWRIGHT_TEST_DEVICE names one by part of its name)";
}

}  // namespace tilewright
