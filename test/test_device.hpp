// Which device do the device tests run on?
#pragma once

#include <CL/opencl.hpp>

#include <memory>
#include <optional>
#include <string>

#include "runtime/device/executor.hpp"

namespace tilewright {

// The first device whose platform or device name contains $TILEWRIGHT_TEST_DEVICE, or the first
// device of all.
std::optional<cl::Device> find_test_device();

// Why the whole program cannot run here, as a sentence: there is no such device. A program that
// needs more than a device has a reason_to_skip() of its own, which the linker finds first.
std::optional<std::string> reason_to_skip();

// A context on that device with a profiling queue. Only for programs with device_main.cpp, which do
// not run without a device.
struct TestDevice {
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
  Executor executor;
  TestDevice();
};

// The kernel, compiled for the device; throws with the reason if it is rejected.
std::unique_ptr<LoadedKernel> load_kernel(const TestDevice& device, const KernelRecord& record);

}  // namespace tilewright
