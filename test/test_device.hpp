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
// not run without a device. It ends when its queue is done: PoCL compiles and runs what is enqueued
// in threads of its own, which abort the program where they still do when its main() has returned.
// A test with another queue waits for what it enqueues there. Where a test breaks off, it does not
// wait: what the queue waits for itself may never come.
struct TestDevice {
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
  Executor executor;
  TestDevice();
  TestDevice(const TestDevice&) = delete;
  TestDevice& operator=(const TestDevice&) = delete;
  ~TestDevice();
};

// The kernel, compiled for the device; throws with the reason if it is rejected.
std::unique_ptr<LoadedKernel> load_kernel(const TestDevice& device, const KernelRecord& record);

}  // namespace tilewright
