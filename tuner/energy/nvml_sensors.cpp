// Reads the energy of NVIDIA GPUs through NVML, which is loaded at run time.
//
// The declarations follow the API reference of NVML, so that neither its header nor the library is
// needed to build or to start the program.
#include <fmt/format.h>

#include <memory>

#include "profiles/base/shared_library.hpp"
#include "tuner/energy/energy_sensor.hpp"

namespace tilewright {
namespace {

using NvmlReturn = int;  // nvmlReturn_t; 0: success
using NvmlDevice = struct nvmlDevice_st*;
constexpr NvmlReturn kNvmlSuccess = 0;
constexpr const char* kNvml = "nvml";
constexpr double kPerThousand = 1e-3;  // millijoules to joules, milliwatts to watts

// nvmlPciInfo_t of version 3.
struct NvmlPciInfo {
  char short_bus_id[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int pci_device_id;
  unsigned int pci_subsystem_id;
  char bus_id[32];
};

// The loaded and initialised library.
class Nvml {
 public:
  explicit Nvml(const std::string& file) : library_(file) {
    library_.require("nvmlInit_v2", init_);
    library_.require("nvmlShutdown", shut_down_);
    library_.require("nvmlErrorString", error_string);
    library_.require("nvmlDeviceGetCount_v2", device_count);
    library_.require("nvmlDeviceGetHandleByIndex_v2", device_at);
    library_.require("nvmlDeviceGetPciInfo_v3", pci_info);
    library_.require("nvmlDeviceGetName", device_name);
    library_.require("nvmlDeviceGetPowerUsage", milliwatts);
    // GPUs before Volta have no such counter, and old libraries lack the function.
    library_.find("nvmlDeviceGetTotalEnergyConsumption", millijoules);
    failure_ = library_.failure();
    if (!failure_.empty()) return;
    const NvmlReturn code = init_();
    is_initialised_ = code == kNvmlSuccess;
    if (!is_initialised_) failure_ = fmt::format("{}: nvmlInit_v2: {}", file, describe(code));
  }
  ~Nvml() {
    if (is_initialised_) shut_down_();
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool exists() const { return library_.is_loaded(); }
  // Returns why the library cannot be used; "" if it can.
  const std::string& failure() const { return failure_; }
  std::string describe(NvmlReturn code) const {
    const char* text = error_string(code);
    return text == nullptr ? fmt::format("error {}", code) : text;
  }

  const char* (*error_string)(NvmlReturn) = nullptr;
  NvmlReturn (*device_count)(unsigned int*) = nullptr;
  NvmlReturn (*device_at)(unsigned int, NvmlDevice*) = nullptr;
  NvmlReturn (*pci_info)(NvmlDevice, NvmlPciInfo*) = nullptr;
  NvmlReturn (*device_name)(NvmlDevice, char*, unsigned int) = nullptr;
  NvmlReturn (*milliwatts)(NvmlDevice, unsigned int*) = nullptr;
  NvmlReturn (*millijoules)(NvmlDevice, unsigned long long*) = nullptr;  // null: not available

 private:
  SharedLibrary library_;
  NvmlReturn (*init_)() = nullptr;
  NvmlReturn (*shut_down_)() = nullptr;
  bool is_initialised_ = false;
  std::string failure_;
};

SensorReading read_millijoules(const Nvml& nvml, NvmlDevice device) {
  unsigned long long value = 0;
  const NvmlReturn code = nvml.millijoules(device, &value);
  if (code == kNvmlSuccess) return kPerThousand * static_cast<double>(value);
  return "nvmlDeviceGetTotalEnergyConsumption: " + nvml.describe(code);
}

SensorReading read_milliwatts(const Nvml& nvml, NvmlDevice device) {
  unsigned int value = 0;
  const NvmlReturn code = nvml.milliwatts(device, &value);
  if (code == kNvmlSuccess) return kPerThousand * static_cast<double>(value);
  return "nvmlDeviceGetPowerUsage: " + nvml.describe(code);
}

bool is_failure(const SensorReading& reading) {
  return std::holds_alternative<std::string>(reading);
}

EnergySensor make_gpu_sensor(const std::shared_ptr<const Nvml>& nvml, unsigned int index,
                             NvmlDevice device, const std::string& library) {
  EnergySensor sensor;
  sensor.family = SensorFamily::kNvml;
  sensor.scope = SensorScope::kGpu;
  sensor.info.source = library;
  NvmlPciInfo pci{};
  if (nvml->pci_info(device, &pci) == kNvmlSuccess) {
    sensor.pci_address = fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device);
  }
  char name[96] = "";
  if (nvml->device_name(device, name, sizeof(name)) == kNvmlSuccess) sensor.device_name = name;
  const bool has_address = !sensor.pci_address.empty();
  sensor.info.name =
      fmt::format("{} {}", kNvml, has_address ? sensor.pci_address : fmt::format("GPU {}", index));
  sensor.info.covers = fmt::format("GPU card {} with its memory", sensor.device_name);
  sensor.info.counts_energy =
      nvml->millijoules != nullptr && !is_failure(read_millijoules(*nvml, device));
  if (sensor.info.counts_energy) {
    sensor.read = [nvml, device] { return read_millijoules(*nvml, device); };
    return sensor;
  }
  sensor.read = [nvml, device] { return read_milliwatts(*nvml, device); };
  const SensorReading watts = sensor.read();
  if (is_failure(watts)) sensor.info.unreadable = std::get<std::string>(watts);
  return sensor;
}

}  // namespace

std::vector<EnergySensor> find_nvml_sensors(const std::string& library) {
  if (library.empty()) return {};
  const auto nvml = std::make_shared<const Nvml>(library);
  if (!nvml->exists()) return {};
  const auto broken = [&](const std::string& why) {
    EnergySensor sensor;
    sensor.family = SensorFamily::kNvml;
    sensor.scope = SensorScope::kGpu;
    sensor.info = {kNvml, "NVIDIA GPUs", library, true, why};
    return std::vector<EnergySensor>{sensor};
  };
  if (!nvml->failure().empty()) return broken(nvml->failure());
  unsigned int count = 0;
  const NvmlReturn code = nvml->device_count(&count);
  if (code != kNvmlSuccess) {
    return broken(fmt::format("{}: nvmlDeviceGetCount_v2: {}", library, nvml->describe(code)));
  }
  std::vector<EnergySensor> sensors;
  for (unsigned int i = 0; i < count; ++i) {
    NvmlDevice device = nullptr;
    if (nvml->device_at(i, &device) != kNvmlSuccess) continue;  // another user's GPU
    sensors.push_back(make_gpu_sensor(nvml, i, device, library));
  }
  return sensors;
}

}  // namespace tilewright
