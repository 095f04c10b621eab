#include "tuner/measure/device/device_sensors.hpp"

#include "runtime/opencl/clhpp.hpp"

#include <fmt/format.h>

#include <string>

#include "runtime/device/device_identity.hpp"
#include "runtime/device/environment.hpp"

namespace tilewright {
namespace {

// Returns an address such as "0000:65:00.0", from cl_khr_pci_bus_info or
// cl_nv_device_attribute_query. Returns "" if the driver does not report it.
std::string pci_address(const cl::Device& device);

// Old headers of OpenCL lack these extensions.
constexpr cl_device_info kPciBusInfo = 0x410F;   // CL_DEVICE_PCI_BUS_INFO_KHR
constexpr cl_device_info kNvPciBus = 0x4008;     // CL_DEVICE_PCI_BUS_ID_NV
constexpr cl_device_info kNvPciSlot = 0x4009;    // CL_DEVICE_PCI_SLOT_ID_NV: device * 8 + function
constexpr cl_device_info kNvPciDomain = 0x400A;  // CL_DEVICE_PCI_DOMAIN_ID_NV

struct PciBusInfo {  // cl_device_pci_bus_info_khr
  cl_uint domain;
  cl_uint bus;
  cl_uint device;
  cl_uint function;
};

template <class Value>
bool query(const cl::Device& device, cl_device_info name, Value& value) {
  return ::clGetDeviceInfo(device(), name, sizeof(value), &value, nullptr) == CL_SUCCESS;
}

std::string pci_address(const cl::Device& device) {
  PciBusInfo info{};
  if (has_extension(device, "cl_khr_pci_bus_info") && query(device, kPciBusInfo, info)) {
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", info.domain, info.bus, info.device,
                       info.function);
  }
  cl_uint slot = 0;
  if (!has_extension(device, "cl_nv_device_attribute_query") ||
      !query(device, kNvPciBus, info.bus) || !query(device, kNvPciSlot, slot)) {
    return "";
  }
  query(device, kNvPciDomain, info.domain);  // old drivers do not report it; it is then 0
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", info.domain, info.bus, slot >> 3, slot & 7);
}

}  // namespace

SensorPlaces sensor_places() {
  SensorPlaces places;
  const std::string sysfs = environment("TILEWRIGHT_SYSFS");
  const std::string nvml = environment("TILEWRIGHT_NVML");
  if (!sysfs.empty()) places.sysfs = sysfs;
  if (!nvml.empty()) places.nvml = nvml;
  return places;
}

SensorChoice find_device_sensors(const ListedDevice& listed,
                                 const std::vector<std::string>& names) {
  return choose_sensors(
      find_energy_sensors(sensor_places()),
      {device_kind(listed.device), listed.identity.name, pci_address(listed.device)}, names);
}

}  // namespace tilewright
