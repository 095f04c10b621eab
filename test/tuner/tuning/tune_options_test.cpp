// Tests of the options of a tuning that depend on the device.
#include "tuner/tuning/tune_options.hpp"

#include "catch.hpp"

namespace tilewright {
namespace {

TEST_CASE("the design is added after the shapes of the options, without duplicates") {
  TuneOptions options;
  options.shapes = {{5, 6, 7}};
  DeviceInfo facts;
  facts.identity.compute_units = 2;
  facts.identity.max_clock_mhz = 3000;
  CHECK(with_design(options, facts).shapes.size() == 1);
  options.design = true;
  const TuneOptions both = with_design(options, facts);
  CHECK(both.shapes.front() == GemmShape{5, 6, 7});
  CHECK(both.designed == 24);
  CHECK(both.shapes.size() == 25);
  options.shapes = {both.shapes[1]};
  CHECK(with_design(options, facts).shapes.size() == 24);
  CHECK(with_design(options, facts).designed == 23);
}

TEST_CASE("the command that continues a tuning has no --fresh") {
  TuneOptions options;
  CHECK(same_command(options) == "the same command");
  options.fresh = true;
  CHECK_THAT(same_command(options), Catch::Matchers::ContainsSubstring("without --fresh"));
}

}  // namespace
}  // namespace tilewright
