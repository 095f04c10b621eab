// Tests of what makes a board slower or its results worse, of what determines which files the
// doctor reads, and of its reports.
#include <nlohmann/json.hpp>

#include "doctor_case.hpp"
#include "profiles/base/file_trust.hpp"
#include "tuner/doctor/drivers.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("doctor: energy sensors") {
  MadeUpBoard board;
  make_xu4(board);
  CHECK_THAT(examined(board).of("sensor").seen, ContainsSubstring("no energy sensor"));
  board.write("/sys/bus/i2c/drivers/INA231/4-0044/sensor_W", "0.5\n")
      .write("/sys/bus/i2c/drivers/INA231/4-0044/enable", "1\n")
      .write("/sys/bus/i2c/drivers/INA231/4-0040/sensor_W", "0.0\n")
      .write("/sys/bus/i2c/drivers/INA231/4-0040/enable", "0\n");
  OpenClProbe probe{{mali(4)}, ""};
  probe.gpu_sensors = {{"nvml 0000:65:00.0", "GPU card", "libnvidia-ml.so.1", true}};
  const Examined all = examined(board, odroid(), probe);
  CHECK_THAT(all.of("sensor", "nvml").seen, ContainsSubstring("covers GPU"));
  CHECK(all.of("sensor", "G3D").state == FindingState::kOk);
  const Finding off = all.of("sensor", "ARM");
  CHECK(off.state == FindingState::kNote);
  CHECK_THAT(off.seen, ContainsSubstring("switched off") && ContainsSubstring("4-0040/enable"));
}

TEST_CASE("doctor: clocks") {
  MadeUpBoard board;
  make_rk3399(board);
  const std::string pin = "echo performance | sudo tee /sys/class/devfreq/ff9a0000.gpu/governor";
  SECTION("not pinned") {
    board.clock("ff9a0000.gpu", "simple_ondemand", "200000000");
    const Finding clock = examined(board).of("clock");
    CHECK(clock.state == FindingState::kNote);
    CHECK_THAT(clock.seen, ContainsSubstring("governor simple_ondemand, 200 MHz now"));
    CHECK(clock.advice == pin);
    // With a single frequency there is nothing to pin.
    board.write("/sys/class/devfreq/ff9a0000.gpu/min_freq", "800000000\n");
    CHECK(examined(board).of("clock").state == FindingState::kOk);
  }
  SECTION("pinned at the lowest frequency") {
    board.clock("ff9a0000.gpu", "powersave", "200000000");
    CHECK(examined(board).of("clock").advice == pin);
  }
  SECTION("throttled") {
    board.clock("ff9a0000.gpu", "performance", "400000000");
    CHECK_THAT(examined(board).of("clock").seen, ContainsSubstring("highest frequency"));
  }
  SECTION("the old kernel for Exynos") {
    board.remove("/sys/class/devfreq")
        .write("/sys/devices/11800000.mali/clock", "600\n")
        .write("/sys/devices/11800000.mali/dvfs_governor", "Default\n");
    const Finding clock = examined(board).of("clock");
    CHECK(clock.state == FindingState::kNote);
    CHECK_THAT(clock.seen, ContainsSubstring("/sys/devices/11800000.mali/clock is 600"));
  }
  SECTION("no clock") {
    board.remove("/sys/class/devfreq");
    CHECK(examined(board).of("clock").state == FindingState::kNote);
  }
}

TEST_CASE("doctor: other reasons why a board is slow") {
  MadeUpBoard board;
  make_xu4(board);
  board.write("/sys/devices/system/cpu/cpu4/cpufreq/scaling_governor", "ondemand\n")
      .write("/sys/class/thermal/thermal_zone0/temp", "81000\n")
      .write("/sys/class/thermal/thermal_zone1/temp", "60\n")
      .write("/sys/class/misc/mali0/device/js_timeouts", "100 100 300 250 15000 500 400 15500\n")
      .write("/proc/meminfo", "MemTotal: 2048000 kB\nMemFree: 102400 kB\nCached: 102400 kB\n");
  const Examined seen = examined(board);
  CHECK_FALSE(has_problems(seen.findings));
  CHECK_THAT(seen.of("cpu").seen, ContainsSubstring("ondemand, performance"));
  CHECK(seen.of("temperature", "gpu-thermal 81.0").state == FindingState::kNote);
  CHECK(seen.of("temperature", "thermal_zone1 60.0").state == FindingState::kOk);
  CHECK(seen.of("watchdog").advice == "tilewright tune --max-dispatch 125ms");
  CHECK(seen.of("memory").state == FindingState::kNote);
  CHECK_THAT(seen.of("memory").seen, ContainsSubstring("200 MiB of 2000 MiB"));
  // Five values, as in old kernels.
  board.write("/sys/class/misc/mali0/device/js_timeouts", "100 300 15000 3000 15500\n");
  CHECK(seen.of("watchdog").seen != examined(board).of("watchdog").seen);
  CHECK_THAT(examined(board).of("watchdog").seen, ContainsSubstring("after 300 ms"));
}

TEST_CASE("doctor: drivers that crash, and drivers that do not list the GPU") {
  MadeUpBoard board;
  make_xu4(board);
  OpenClProbe crash;
  crash.failure = "died of SIGSEGV";
  CHECK_THAT(examined(board, odroid(), crash).of("opencl").seen,
             ContainsSubstring("died of SIGSEGV"));
  const Finding named =
      examined(board, odroid(), crash, {{"/etc/OpenCL/vendors/mali.icd", "died of SIGSEGV"}})
          .of("opencl");
  CHECK(named.state == FindingState::kProblem);
  CHECK_THAT(named.seen, ContainsSubstring("died of SIGSEGV"));
  CHECK_THAT(named.advice, ContainsSubstring("/etc/OpenCL/vendors/mali.icd.off"));
  ProbedDevice cpu = mali(8, "pthread-cortex-a15");
  cpu.type = "cpu";
  CHECK(examined(board, odroid(), OpenClProbe{{cpu}, ""}).of("opencl", "no driver lists").state ==
        FindingState::kProblem);
  // Drivers of another machine are not queried, which is not a problem.
  const Examined copy = examined(board, odroid(), std::nullopt);
  CHECK_FALSE(has_problems(copy.findings));
  CHECK_FALSE(copy.has("profile"));
}

TEST_CASE("doctor: possible teams are listed") {
  MadeUpBoard board;
  make_xu4(board);
  const Finding seen = examined(board, odroid(), OpenClProbe{{mali(4), mali(2)}, ""})
                           .of("opencl", "devices 0, 1 can");
  CHECK(seen.state == FindingState::kOk);
}

TEST_CASE("doctor: a device without timestamps is a note") {
  MadeUpBoard board;
  make_xu4(board);
  ProbedDevice device = mali(4);
  device.timers = false;
  const Finding seen =
      examined(board, odroid(), OpenClProbe{{device}, ""}).of("opencl", "timestamps");
  CHECK(seen.state == FindingState::kNote);
  CHECK_THAT(seen.advice, ContainsSubstring("Linux 6.13"));
}

TEST_CASE("doctor: variables that redirect the loader") {
  MadeUpBoard board;
  make_xu4(board);
  board.write("/opt/icd/other.icd", "libother.so\n").library("/opt/lib/libother.so", kArm);
  DoctorUser user = odroid();
  const auto only = [&]() -> Driver {
    const std::vector<Driver> drivers = find_drivers(board.files(), user);
    REQUIRE(drivers.size() == 1);
    return drivers[0];
  };
  CHECK(only().icd_file == "/etc/OpenCL/vendors/mali.icd");
  user.environment["OPENCL_VENDOR_PATH"] = "/opt/icd";
  CHECK(only().icd_file == "/opt/icd/other.icd");
  CHECK(only().path.empty());
  user.environment["LD_LIBRARY_PATH"] = "/nowhere:/opt/lib";
  CHECK(only().path == "/opt/lib/libother.so");
  user.environment["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors";
  CHECK(only().icd_file == "/etc/OpenCL/vendors/mali.icd");
  user.environment["OCL_ICD_VENDORS"] = "other.icd";
  CHECK(only().icd_file == "/opt/icd/other.icd");
  user.environment["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors/mali.icd";
  CHECK(only().icd_file == "/etc/OpenCL/vendors/mali.icd");
  user.environment["OCL_ICD_VENDORS"] = "libother.so";
  CHECK(only().icd_file.empty());
  CHECK(only().path == "/opt/lib/libother.so");
  // Folders of the dynamic loader.
  user.environment.clear();
  board.write("/etc/OpenCL/vendors/mali.icd", "libother.so\n");
  CHECK(only().path.empty());
  board.write("/etc/ld.so.conf.d/other.conf", "# mine\n/opt/lib\n");
  CHECK(only().path == "/opt/lib/libother.so");
}

TEST_CASE("doctor: the cache of compiled kernels") {
  MadeUpBoard board;
  make_xu4(board);
  DoctorUser user = odroid();
  const auto cache = [&] { return examined(board, user).of("cache"); };
  CHECK(cache().state == FindingState::kNote);
  CHECK_THAT(cache().seen, ContainsSubstring("nor HOME"));
  user.cache_folder = "/home/odroid/.cache/tilewright";
  CHECK(cache().state == FindingState::kOk);
  CHECK_THAT(cache().seen, ContainsSubstring(user.cache_folder));
  user.cache_obstacle = to_text(Distrust::kWritable);
  CHECK(cache().state == FindingState::kNote);
  CHECK_THAT(cache().seen, ContainsSubstring(user.cache_folder + " can be written by other users"));
  CHECK(cache().advice == "chmod go-w '" + user.cache_folder + "'");
  user.cache_obstacle = to_text(Distrust::kOtherOwner);
  CHECK(cache().state == FindingState::kNote);
  CHECK_THAT(cache().advice, ContainsSubstring("export TILEWRIGHT_CACHE="));
  user.environment["TILEWRIGHT_CACHE"] = "off";
  CHECK(cache().state == FindingState::kOk);
  CHECK_THAT(cache().seen, ContainsSubstring("TILEWRIGHT_CACHE=off"));
  // Nothing is known of the user of another machine.
  CHECK_FALSE(examined(board, odroid(), std::nullopt).has("cache"));
}

TEST_CASE("doctor: findings as text and as JSON") {
  const Findings findings = {{"icd", FindingState::kOk, "well", ""},
                             {"clock", FindingState::kNote, "floats", "pin it"},
                             {"node", FindingState::kProblem, "closed \xff", "open it"}};
  CHECK(to_text(findings).find("ok       icd          well\nnote     clock        floats\n") == 0);
  CHECK_THAT(to_text(findings), ContainsSubstring("-> pin it\n"));
  CHECK_THAT(to_text(findings), ContainsSubstring("\n1 problem, 1 note\n"));
  const auto json = nlohmann::json::parse(to_json_text(findings));
  CHECK(json["problems"] == 1);
  CHECK(json["notes"] == 1);
  CHECK(json["findings"][1]["subject"] == "clock");
  CHECK(json["findings"][1]["state"] == "note");
  CHECK(json["findings"][1]["advice"] == "pin it");
  CHECK(has_problems(findings));
  CHECK_FALSE(has_problems({{"a", FindingState::kNote, "b", "c"}}));
}

TEST_CASE("doctor: links are followed below the root") {
  MadeUpBoard board;
  board.write("/usr/lib/real/file", " text \nmore")
      .link("/lib", "usr/lib")
      .link("/usr/lib/absolute", "/usr/lib/real")
      .link("/usr/lib/up", "../../../../usr/lib/real/file")
      .link("/usr/lib/loop", "loop");
  const BoardFiles files = board.files();
  CHECK(files.line("/lib/absolute/file") == "text");
  CHECK(files.line("/lib/up") == "text");
  CHECK(files.resolved("/lib/absolute/file") == "/usr/lib/real/file");
  CHECK(files.resolved("/lib/./real/../nothing") == "/usr/lib/nothing");
  CHECK_FALSE(files.exists("/lib/loop"));
  CHECK(files.is_folder("/lib/absolute"));
  CHECK(files.text("/lib/real").empty());
  CHECK_FALSE(files.number("/lib/up"));
  CHECK(files.entries("/nowhere").empty());
}

}  // namespace
}  // namespace tilewright
