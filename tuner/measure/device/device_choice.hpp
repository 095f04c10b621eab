// Lists the OpenCL devices, selects one by the user's choice, and describes it for a tuning.
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <string>
#include <vector>

#include "profiles/device_info.hpp"

namespace tilewright {

// A device with its index and identity.
struct ListedDevice {
  int index = 0;  // number that `tilewright devices` prints and `--device` accepts
  cl::Device device;
  DeviceIdentity identity;
  std::string obstacle = {};  // why its driver cannot use it now, as a clause; "": it can
};

// The devices of all platforms.
struct DeviceList {
  std::vector<ListedDevice> devices;
  // One sentence for each platform that does not list its devices and for each device that fails a
  // query. These devices are not in `devices`.
  std::vector<std::string> failures;
};

// Returns all devices of all platforms that answer, in the order in which the drivers list them. If
// no driver is installed the list is empty. Throws Error if the OpenCL loader itself fails.
DeviceList enumerate_devices();
// Returns a message that explains why no device was found and what to do. `failures` are those that
// enumerate_devices() returned.
std::string no_device_reason(const std::vector<std::string>& failures);

// Returns the device that the user chose. `choice` is an index, or text that occurs in the
// platform, vendor or name of one device (case is ignored). If several matching devices have equal
// identities, the first one is returned. For empty text it returns the first GPU, or the first
// device if there is no GPU. Devices with an obstacle are not returned. Throws UsageError, with a
// list of all devices and failures, if no device matches or if different devices match.
const ListedDevice& choose_device(const DeviceList& list, const std::string& choice);

// Returns true if more than one of the devices has the hardware_name() of `identity`. For example,
// a Mali-T628 appears as two devices (four cores and two cores) with the same name; only the index
// distinguishes them.
bool shares_name(const std::vector<ListedDevice>& devices, const DeviceIdentity& identity);

// Collects everything that a tuning needs to know about the device: what the driver reports, the
// limits of the search space, and the facts about a known GPU (limits_file.hpp).
//
// The limits are those of the driver, except that a CPU gets work-groups of at most 1024
// work-items. The size of the register file is an estimate: on a CPU 32 native vectors if they have
// 512 bits, else 16; on a GPU what is known about it, else 64 floats on a Mali (16 or 64 registers,
// see the ARM guides) and 256 floats on others. `sysfs` is the folder in which to look for the
// GPU's clock.
DeviceInfo describe_device(const ListedDevice& device, const std::string& sysfs = "/sys");

}  // namespace tilewright
