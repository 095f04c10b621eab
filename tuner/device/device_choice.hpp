// Which OpenCL device does the user mean?
#pragma once

#include <CL/opencl.hpp>

#include <string>
#include <vector>

#include "codelets/model/merit.hpp"
#include "codelets/point/validity.hpp"
#include "profiles/profile.hpp"

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

// "gpu", "cpu", "accelerator".
std::string device_type(const cl::Device& device);

// What kernels may use on the device, as the driver answers it (on CPUs work-groups of 1024 at
// most, whatever it answers). The register estimate is 32 native
// vectors on a CPU with 512-bit vectors and 16 on others, 256 floats on GPUs (64 on Mali: 16 or 64
// registers, see the ARM guides).
SpaceLimits space_limits(const ListedDevice& device);

// What the search's models are told: the native vector width and the kind of local memory as the
// driver answers them; on GPUs, that work-items run side by side and that a work-group of fewer
// than 32 leaves lanes idle, and what is known of one by its name (limits_file.hpp); on CPUs, the
// number of vector registers.
DeviceHints device_hints(const cl::Device& device);

}  // namespace tilewright
