// Tests which teams are listed for the devices of a machine.
#include "tuner/measure/device/possible_teams.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

using Teams = std::vector<std::string>;

TEST_CASE("possible teams: several devices, and devices with the host's CBLAS") {
  CHECK(possible_teams({}) == Teams{});
  CHECK(possible_teams({"cpu"}) == Teams{});  // the CBLAS uses the same cores
  CHECK(possible_teams({"gpu"}) == Teams{"device 0 can multiply together with the host's CBLAS"});
  CHECK(possible_teams({"gpu", "cpu"}) ==
        Teams{"devices 0, 1 can multiply together",
              "device 0 can multiply together with the host's CBLAS"});
  CHECK(possible_teams({"gpu", "gpu"}) ==
        Teams{"devices 0, 1 can multiply together",
              "devices 0, 1 can multiply together with the host's CBLAS"});
}

}  // namespace
}  // namespace tilewright
