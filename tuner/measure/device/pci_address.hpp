// Queries where a device is on the PCI bus.
#pragma once

#include <string>

#include "runtime/opencl/clhpp.hpp"

namespace tilewright {

// Returns an address such as "0000:65:00.0", from cl_khr_pci_bus_info or
// cl_nv_device_attribute_query. Returns "" if the driver does not report it.
std::string pci_address(const cl::Device& device);

}  // namespace tilewright
