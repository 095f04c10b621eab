#include "tuner/measure/device/possible_teams.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

std::vector<PossibleTeam> possible_teams(const std::vector<std::string>& kinds) {
  PossibleTeam all;
  PossibleTeam with_host{{}, true};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].empty()) continue;
    all.devices.push_back(i);
    if (kinds[i] != "cpu") with_host.devices.push_back(i);
  }
  std::vector<PossibleTeam> teams;
  if (all.devices.size() > 1) teams.push_back(all);
  if (!with_host.devices.empty()) teams.push_back(with_host);
  return teams;
}

std::string to_text(const PossibleTeam& team) {
  return fmt::format("{} {} can multiply together{}",
                     team.devices.size() == 1 ? "device" : "devices", fmt::join(team.devices, ", "),
                     team.has_host_cblas ? " with the host's CBLAS" : "");
}

}  // namespace tilewright
