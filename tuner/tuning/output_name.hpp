// What is a device's profile called, if nobody says?
#pragma once

#include <string>

#include "tuner/journal/records/worker_protocol.hpp"

namespace tilewright {

// "mali-t760.toml" of "Mali-T760". Made of the hardware_name(), so that a tuning goes on in the
// same files after an update of the driver. Where devices of one machine share a name, as the two
// of a Mali-T628 do, with the number of compute units: "mali-t628-4cu.toml".
std::string default_output(const DeviceInfo& device);

}  // namespace tilewright
