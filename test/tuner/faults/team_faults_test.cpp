// Tests that a team whose member loses its device computes correct products with the other member.
#include "catch.hpp"
#include "fault_run.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("faults: a team drops a member whose context is lost, and its result is right") {
  // The second launch of the process belongs to one of the two members.
  const Faults faults("context_lost call=2\n");
  const ProbeResult probe = run_probe("team");
  INFO(probe.out);
  CHECK(probe.exit_code == 0);
  CHECK_THAT(probe.out, ContainsSubstring("create 0\nstatus 0\nright 1\ndropped 1\n"
                                          "status 0\nright 1\ndropped 1\n"));
  CHECK_THAT(probe.out, ContainsSubstring("CL_OUT_OF_RESOURCES"));
}

TEST_CASE("faults: a team without faults drops nobody") {
  const Faults faults("");
  const ProbeResult probe = run_probe("team");
  INFO(probe.out);
  CHECK_THAT(probe.out, ContainsSubstring("create 0\nstatus 0\nright 1\ndropped 0\n"
                                          "status 0\nright 1\ndropped 0\nreasons \n"));
}

TEST_CASE("faults: a team does not repeat a product in buffers that was enqueued") {
  const Faults faults("flush_failure call=1\n");
  const ProbeResult probe = run_probe("team-buffers");
  INFO(probe.out);
  CHECK(probe.exit_code == 0);
  CHECK_THAT(probe.out, ContainsSubstring("create 0\nstatus 0\nright 1\ndropped 0\n"));
}

TEST_CASE("faults: a team whose members all fail reports the error") {
  const Faults faults("out_of_resources always\n");
  const ProbeResult probe = run_probe("team");
  INFO(probe.out);
  CHECK_THAT(probe.out, ContainsSubstring("create 0\nstatus 3003\n"));
  CHECK_THAT(probe.out, ContainsSubstring("error all members of the team"));
}

}  // namespace
}  // namespace tilewright
