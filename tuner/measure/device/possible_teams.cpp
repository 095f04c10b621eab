#include "tuner/measure/device/possible_teams.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

std::vector<std::string> possible_teams(const std::vector<std::string>& kinds) {
  std::vector<std::string> teams;
  std::vector<std::size_t> all;
  std::vector<std::size_t> apart_from_host;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    all.push_back(i);
    if (kinds[i] != "cpu") apart_from_host.push_back(i);
  }
  if (all.size() > 1) {
    teams.push_back(fmt::format("devices {} can multiply together", fmt::join(all, ", ")));
  }
  if (!apart_from_host.empty()) {
    teams.push_back(fmt::format("{} {} can multiply together with the host's CBLAS",
                                apart_from_host.size() == 1 ? "device" : "devices",
                                fmt::join(apart_from_host, ", ")));
  }
  return teams;
}

}  // namespace tilewright
