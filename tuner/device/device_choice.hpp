// Which OpenCL device does the user mean?
#pragma once

#include <CL/opencl.hpp>

#include <string>
#include <vector>

#include "profiles/device_info.hpp"

namespace tilewright {

struct ListedDevice {
  int index = 0;  // as `tilewright devices` prints it
  cl::Device device;
  DeviceIdentity identity;
};

struct DeviceList {
  std::vector<ListedDevice> devices;
  // A sentence for each platform that does not list its devices and for each device that does not
  // answer a query. They are left out of `devices`.
  std::vector<std::string> failures;
};

// All devices of all platforms that answer, in the drivers' order. No driver installed is no error:
// an empty list. Throws Error if the loader itself fails.
DeviceList enumerate_devices();
// Prints each failure on standard error, once in a process.
void say_failures(const std::vector<std::string>& failures);
// enumerate_devices(), whose failures are printed.
DeviceList list_devices();
// Why there may be none, and what to do. `failures`: of enumerate_devices().
std::string no_device_reason(const std::vector<std::string>& failures);

// The device with that index, or the only one whose platform, vendor or name contains the text (in
// any case), the first one where all that match are equal; for empty text the first GPU, else the
// first device. Throws UsageError that lists what there is and what failed.
const ListedDevice& choose_device(const DeviceList& list, const std::string& choice);

// Has another of the devices the same hardware_name()? A Mali-T628 is two devices, of four cores
// and of two, that differ in nothing else: only the number says which.
bool shares_name(const std::vector<ListedDevice>& devices, const DeviceIdentity& identity);

// All that a tuning must know of the device: what the driver reports, the bounds of the search, and
// what is known of a GPU by its name (limits_file.hpp). Bounds are the device's limits, on CPUs
// work-groups of 1024 at most, whatever the driver answers. The register estimate is 32 native
// vectors on a CPU with 512-bit vectors and 16 on others, 256 floats on GPUs (64 on Mali: 16 or 64
// registers, see the ARM guides). `sysfs`: where the clock of a GPU is looked for.
DeviceInfo describe_device(const ListedDevice& device, const std::string& sysfs = "/sys");

}  // namespace tilewright
