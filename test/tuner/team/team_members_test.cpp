// Tests how the argument of `tune --team` is read.
#include "tuner/team/team_members.hpp"

#include "catch.hpp"
#include "profiles/base/usage_error.hpp"

namespace tilewright {
namespace {

TEST_CASE("tune --team: devices, parts of devices and CBLAS libraries") {
  const std::vector<TeamMemberName> names = parse_team("0,12/2,libopenblas.so.0,/usr/lib/b.so");
  REQUIRE(names.size() == 4);
  CHECK(names[0].device == 0);
  CHECK(names[0].units == 0);
  CHECK(names[1].device == 12);
  CHECK(names[1].units == 2);
  CHECK(names[2].device == -1);
  CHECK(names[2].text == "libopenblas.so.0");
  CHECK(names[3].text == "/usr/lib/b.so");
}

TEST_CASE("tune --team: everything else is rejected") {
  for (const char* wrong : {"", "0", "0,", ",0", "0,1/0", "0,1/", "0,/1", "0,1/2/3",
                            "0,99999999999", "0,1,", "0,0", "0,1,0/2"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_team(wrong), UsageError);
  }
}

}  // namespace
}  // namespace tilewright
