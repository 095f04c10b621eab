// Tests of the reader of a GPU's clock, with artificial sysfs folders.
#include "tuner/measure/device/clock_reader.hpp"

#include "catch.hpp"
#include "made_up_sysfs.hpp"

namespace tilewright {
namespace {

TEST_CASE("without devfreq there is no clock and no warning") {
  const MadeUpSysfs sysfs;
  for (const ClockReader& clock :
       {ClockReader(), ClockReader(sysfs.path()), ClockReader(sysfs.path() + "/missing")}) {
    CHECK(clock.path().empty());
    CHECK(clock.governor().empty());
    CHECK(clock.now_hz() == 0);
    CHECK(clock.warning().empty());
  }
}

TEST_CASE("the GPU's folder is found by its name, or because it is the only one") {
  const MadeUpSysfs sysfs;
  sysfs.write("dmc", "cur_freq", "933000000\n");
  CHECK(ClockReader(sysfs.path()).now_hz() == 933000000);
  sysfs.write("ffa30000.GPU", "cur_freq", "800000000\n");
  CHECK(ClockReader(sysfs.path()).now_hz() == 800000000);
  const MadeUpSysfs mali;
  mali.write("11800000.mali", "cur_freq", "600000000\n");
  mali.write("soc:bus", "cur_freq", "100\n");
  CHECK(ClockReader(mali.path()).now_hz() == 600000000);
  const MadeUpSysfs others;
  others.write("dmc", "cur_freq", "1\n");
  others.write("soc:bus", "cur_freq", "2\n");
  CHECK(ClockReader(others.path()).path().empty());
}

TEST_CASE("a clock that is not pinned causes a warning with the command that pins it") {
  const MadeUpSysfs sysfs;
  sysfs.write("ff9a0000.gpu", "governor", "simple_ondemand\n");
  const std::string folder = sysfs.path() + "/class/devfreq/ff9a0000.gpu";
  const ClockReader clock(sysfs.path());
  CHECK(clock.path() == folder);
  CHECK(clock.governor() == "simple_ondemand");
  CHECK(clock.warning().find("echo performance | sudo tee " + folder + "/governor") !=
        std::string::npos);
  for (const char* pinned : {"performance", "userspace\n"}) {
    sysfs.write("ff9a0000.gpu", "governor", pinned);
    CHECK(clock.warning().empty());
  }
}

TEST_CASE("the clock is read anew each time, and text that is no number counts as unknown") {
  const MadeUpSysfs sysfs;
  const ClockReader early(sysfs.path());
  sysfs.write("gpu", "cur_freq", "200000000\n");
  CHECK(early.now_hz() == 0);  // the folder is chosen only once
  const ClockReader clock(sysfs.path());
  CHECK(clock.now_hz() == 200000000);
  sysfs.write("gpu", "cur_freq", "800000000");
  CHECK(clock.now_hz() == 800000000);
  for (const char* garbage : {"", "\n", "unknown", "<5>"}) {
    sysfs.write("gpu", "cur_freq", garbage);
    CHECK(clock.now_hz() == 0);
  }
}

TEST_CASE("a folder in place of a file counts as unreadable, without an error") {
  const MadeUpSysfs sysfs;
  sysfs.write("gpu/cur_freq", "x", "");
  sysfs.write("gpu/governor", "x", "");
  const ClockReader clock(sysfs.path());
  CHECK_FALSE(clock.path().empty());
  CHECK(clock.now_hz() == 0);
  CHECK(clock.governor().empty());
  CHECK(clock.warning().empty());
}

}  // namespace
}  // namespace tilewright
