// A library in place of NVML with two GPUs, at 0000:65:00.0 and 0001:0a:00.0, that draw 100 W. The
// variable TILEWRIGHT_FAKE_NVML names faults:
//   init       nvmlInit_v2 fails
//   no_energy  there is no energy counter
//   no_power   power cannot be read
//   lost       the energy counter cannot be read any more after its third reading
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kSuccess = 0;
constexpr int kUninitialized = 1;
constexpr int kNotSupported = 3;
constexpr int kGpuIsLost = 15;

struct PciInfo {
  char short_bus_id[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int pci_device_id;
  unsigned int pci_subsystem_id;
  char bus_id[32];
};

bool has_fault(const char* fault) {
  const char* faults = std::getenv("TILEWRIGHT_FAKE_NVML");
  return faults != nullptr && std::strstr(faults, fault) != nullptr;
}

int devices[2];

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return has_fault("init") ? kUninitialized : kSuccess;
}

int nvmlShutdown() {
  return kSuccess;
}

const char* nvmlErrorString(int code) {
  return code == kNotSupported ? "Not Supported" : code == kGpuIsLost ? "GPU is lost" : "fault";
}

int nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = 2;
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void** device) {
  *device = &devices[index];
  return kSuccess;
}

int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info) {
  if (has_fault("no_pci")) return kNotSupported;
  const bool is_first = device == &devices[0];
  info->domain = is_first ? 0 : 1;
  info->bus = is_first ? 0x65 : 0x0a;
  info->device = 0;
  return kSuccess;
}

int nvmlDeviceGetName(void*, char* name, unsigned int size) {
  std::snprintf(name, size, "Fake GPU");
  return kSuccess;
}

int nvmlDeviceGetPowerUsage(void*, unsigned int* milliwatts) {
  *milliwatts = 100000;
  return has_fault("no_power") ? kNotSupported : kSuccess;
}

int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  static int readings = 0;
  if (has_fault("no_energy")) return kNotSupported;
  if (has_fault("lost") && ++readings > 3) return kGpuIsLost;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  *millijoules = static_cast<unsigned long long>(
      100 * std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  return kSuccess;
}

}  // extern "C"
