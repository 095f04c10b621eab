// Chooses the name of a device's profile if the user gives none.
#pragma once

#include <string>

#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// Returns for example "mali-t760.toml" for "Mali-T760". The name is derived from hardware_name(),
// so that a tuning continues with the same files after a driver update. If several devices of a
// machine have the same name, like the two of a Mali-T628, the number of compute units is added:
// "mali-t628-4cu.toml".
std::string default_output(const DeviceInfo& device);

}  // namespace tilewright
