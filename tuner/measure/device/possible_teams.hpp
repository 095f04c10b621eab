// Which devices of a machine can multiply together.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tilewright {

struct PossibleTeam {
  std::vector<std::size_t> devices;  // indices in the order of `tilewright devices`, ascending
  bool has_host_cblas = false;       // the host's CBLAS is a member, too
};

// `kinds`: the kind of each device in the order of `tilewright devices` ("gpu", "cpu" ...; "": the
// device cannot be used). Returns
// all devices, if there are several; and all devices other than the CPU with the host's CBLAS,
// which uses the CPU itself.
std::vector<PossibleTeam> possible_teams(const std::vector<std::string>& kinds);

// Returns a sentence without a full stop: "devices 0, 1 can multiply together".
std::string to_text(const PossibleTeam& team);

}  // namespace tilewright
