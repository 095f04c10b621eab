// What is a device's profile called, if nobody says?
#pragma once

#include <string>

#include "tuner/worker_protocol.hpp"

namespace tilewright {

// "mali-t760.toml" of "Mali-T760".
std::string default_output(const DeviceFacts& device);

}  // namespace tilewright
