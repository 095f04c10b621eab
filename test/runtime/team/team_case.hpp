// Devices for tests of teams: two sub-devices of one compute unit each where the driver can divide
// the device, otherwise the device twice.
#pragma once

#include <vector>

#include "test_device.hpp"

namespace tilewright {

inline std::vector<cl::Device> team_devices(const TestDevice& d) {
  const cl_device_partition_property single[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  std::vector<cl::Device> parts;
  cl::Device whole = d.device;
  const bool divided = whole.createSubDevices(single, &parts) == CL_SUCCESS && parts.size() >= 2;
  if (!divided) return {d.device, d.device};
  parts.resize(2);
  return parts;
}

// The queues of two devices: each in its own context, or both in one. The contexts are kept,
// because the queues of Intel's driver do not retain them.
struct TeamQueues {
  std::vector<cl::Device> devices;
  std::vector<cl::Context> contexts;
  std::vector<cl::CommandQueue> queues;
  TeamQueues(const TestDevice& d, bool one_context) : devices(team_devices(d)) {
    const cl::Context shared(devices);
    for (const cl::Device& device : devices) {
      contexts.push_back(one_context ? shared : cl::Context(device));
      queues.emplace_back(contexts.back(), device);
    }
  }
  ~TeamQueues() {
    for (const cl::CommandQueue& queue : queues) queue.finish();
  }
  TeamQueues(const TeamQueues&) = delete;
  TeamQueues& operator=(const TeamQueues&) = delete;

  const cl::Context& context(std::size_t index) const { return contexts[index]; }
};

}  // namespace tilewright
