// Which devices of a machine can multiply together.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

// `kinds`: the kind of each device in the order of `tilewright devices` ("gpu", "cpu" ...). Returns
// one sentence for each possible team: all devices, if there are several; and all devices other
// than the CPU with the host's CBLAS, which uses the CPU itself.
std::vector<std::string> possible_teams(const std::vector<std::string>& kinds);

}  // namespace tilewright
