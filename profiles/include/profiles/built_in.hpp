// The built-in profile, adapted to a device.
//
// Its text contains kernels for each device class (device_class.hpp). Their models describe a
// device of the class with one compute unit at 1 GHz; models of kernels for every device are those
// of class gpu. In other classes, kernels for every device come last. Nothing has been measured:
// all predicted times are guesses. So are those of half- and double-precision kernels, which are
// derived from the text of the single-precision kernels. The times only need to put the kernels in
// the right order.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "profiles/profile.hpp"

namespace tilewright {

// The built-in profile before it is adapted to a device. It is parsed when it is first needed, once
// for all copies. Not thread-safe.
class GenericProfile {
 public:
  const Profile& get() const;

 private:
  std::shared_ptr<std::optional<Profile>> parsed_ = std::make_shared<std::optional<Profile>>();
};

// Removes the kernels of other classes from a generic profile and puts those of the device's own
// class first. Models, rates and compute units are those expected for the device.
Profile for_device(Profile generic, const DeviceInfo& device);

// The kernel of that name as another profile has it (KernelRecord::built_in): of the generic
// profile, for any class of devices, or made from one of its kernels for another precision.
// nullopt: there is none.
std::optional<KernelRecord> built_in_kernel(const Profile& generic, std::string_view name);

// The profile that is embedded in this program, adapted to a device.
Profile built_in_profile(const DeviceInfo& device);
// The built-in profile for a device, without the kernels that failed when `tuned` was made.
Profile built_in_profile(const DeviceInfo& device, const Profile& tuned,
                         const GenericProfile& generic = {});
// The built-in profile for a device, as if it belonged to the given class.
Profile built_in_profile(const DeviceInfo& device, DeviceClass value);

}  // namespace tilewright
