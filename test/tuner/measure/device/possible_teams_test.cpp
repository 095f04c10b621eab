// Tests which teams are listed for the devices of a machine.
#include "tuner/measure/device/possible_teams.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

using Teams = std::vector<std::string>;

Teams team_texts(const std::vector<std::string>& kinds) {
  Teams texts;
  for (const PossibleTeam& team : possible_teams(kinds)) texts.push_back(to_text(team));
  return texts;
}

TEST_CASE("possible teams: several devices, and devices with the host's CBLAS") {
  CHECK(team_texts({}) == Teams{});
  CHECK(team_texts({"cpu"}) == Teams{});  // the CBLAS uses the same cores
  CHECK(team_texts({"gpu"}) == Teams{"device 0 can multiply together with the host's CBLAS"});
  CHECK(team_texts({"gpu", "cpu"}) ==
        Teams{"devices 0, 1 can multiply together",
              "device 0 can multiply together with the host's CBLAS"});
  CHECK(team_texts({"gpu", "gpu"}) ==
        Teams{"devices 0, 1 can multiply together",
              "devices 0, 1 can multiply together with the host's CBLAS"});
}

}  // namespace
}  // namespace tilewright
