#include "test_device.hpp"

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <vector>

namespace tilewright {

std::optional<cl::Device> find_test_device() {
  const char* wanted = std::getenv("TILEWRIGHT_TEST_DEVICE");
  std::vector<cl::Platform> platforms;
  if (cl::Platform::get(&platforms) != CL_SUCCESS) return std::nullopt;
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    if (platform.getDevices(CL_DEVICE_TYPE_ALL, &devices) != CL_SUCCESS) continue;
    for (const cl::Device& device : devices) {
      const std::string names =
          platform.getInfo<CL_PLATFORM_NAME>() + "\n" + device.getInfo<CL_DEVICE_NAME>();
      if (wanted == nullptr || names.find(wanted) != std::string::npos) return device;
    }
  }
  return std::nullopt;
}

TestDevice::TestDevice()
    : device(find_test_device().value()),
      context(device),
      queue(context, device, CL_QUEUE_PROFILING_ENABLE),
      executor(context, device) {}

TestDevice::~TestDevice() {
  if (std::uncaught_exceptions() == 0) clFinish(queue());
}

std::unique_ptr<LoadedKernel> load_kernel(const TestDevice& device, const KernelRecord& record) {
  Loaded loaded = device.executor.load(record);
  if (const auto* kernel_error = std::get_if<KernelError>(&loaded)) {
    throw std::runtime_error(kernel_error->reason);
  }
  return std::move(std::get<std::unique_ptr<LoadedKernel>>(loaded));
}

}  // namespace tilewright
