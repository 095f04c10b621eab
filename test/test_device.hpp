// The device on which device tests run.
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <memory>
#include <optional>
#include <string>

#include "runtime/device/executor.hpp"

namespace tilewright {

// The first device whose platform or device name contains $TILEWRIGHT_TEST_DEVICE; without this
// variable, the first device.
std::optional<cl::Device> find_test_device();

// Why the whole program cannot run here, as a sentence: there is no such device. A program with
// more requirements defines its own reason_to_skip(), which takes precedence at link time.
std::optional<std::string> reason_to_skip();

// A context on that device with a profiling queue. Only for programs with device_main.cpp, which do
// not run without a device. The destructor waits for the queue, because PoCL compiles and runs
// enqueued work in its own threads, which abort the program if they still run when main() has
// returned. A test with another queue must wait for that queue itself. If a test is aborted by an
// exception, the destructor does not wait, because the queue may depend on an event that never
// completes.
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

// Compiles the kernel for the device. Throws the reason if it is rejected.
std::unique_ptr<LoadedKernel> load_kernel(const TestDevice& device, const KernelRecord& record);

}  // namespace tilewright
