// Tests of the command doctor, on this machine and on a copy of another one, with drivers that
// crash and hang.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bad_driver_folder.hpp"
#include "catch.hpp"
#include "made_up_board.hpp"
#include "run_program.hpp"
#include "tuner/doctor/opencl_probe.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("doctor: this machine") {
  const ProgramResult text = run_doctor();
  const ProgramResult json = run_program("doctor --json");
  INFO(text.out << text.error);
  const auto found = nlohmann::json::parse(json.out);
  CHECK(json.exit_code == (found["problems"] > 0 ? 1 : 0));
  CHECK(text.exit_code == json.exit_code);
  CHECK_THAT(text.out, ContainsSubstring("opencl       0: "));
  CHECK_THAT(text.out, ContainsSubstring("profile      device 0 uses a "));
  CHECK_THAT(text.out, ContainsSubstring("loader"));
}

TEST_CASE("doctor: the copy of another machine") {
  MadeUpBoard board;
  make_rk3588(board);
  const ProgramResult well = run_doctor("--root " + board.root());
  INFO(well.out);
  CHECK(well.exit_code == 0);
  CHECK_THAT(well.out, ContainsSubstring("not queried"));
  CHECK_THAT(well.out, ContainsSubstring("fb000000.gpu: governor performance"));
  board.remove("/usr/lib/aarch64-linux-gnu/libmali.so.1");
  CHECK(run_doctor("--root " + board.root()).exit_code == 1);
  const ProgramResult nowhere = run_doctor("--root " + board.root() + "/nowhere");
  CHECK(nowhere.exit_code == 2);
  CHECK_THAT(nowhere.error, ContainsSubstring("--root: "));
}

TEST_CASE("doctor: a driver that crashes is named, and the others are still examined") {
  const BadDriver bad("crash");
  const ProgramResult result = run_doctor();
  INFO(result.out << result.error);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, ContainsSubstring("cannot be loaded: died of SIGSEGV"));
  CHECK_THAT(result.out, ContainsSubstring("the driver of " + bad.folder.file("bad.icd") +
                                           ", queried alone, died of"));
  CHECK_THAT(result.out, ContainsSubstring("memory"));  // the remaining findings are reported, too
}

TEST_CASE("doctor: an ICD file that names the loader") {
  const TemporaryFolder folder;
  std::ofstream(folder.file("a.icd")) << "libOpenCL.so.1\n";
  const ScopedVariable vendors("OCL_ICD_VENDORS", folder.path().c_str());
  const ProgramResult alone = run_doctor();
  INFO(alone.out << alone.error);
  CHECK(alone.exit_code == 1);
  CHECK_THAT(alone.out,
             ContainsSubstring("problem  icd          " + folder.file("a.icd") + " names ") &&
                 ContainsSubstring("not an OpenCL driver"));
  CHECK_THAT(alone.out, ContainsSubstring("no driver"));
}

TEST_CASE("doctor: a driver that hangs is given up") {
  const BadDriver bad("hang");
  const OpenClProbe probe = probe_opencl("", TILEWRIGHT_PROGRAM, 0.5);
  CHECK(probe.devices.empty());
  CHECK_THAT(probe.failure, ContainsSubstring("silent for 0.5 s"));
  const auto why = probe_library(TILEWRIGHT_BAD_DRIVER_LIBRARY, TILEWRIGHT_PROGRAM, 0.5);
  REQUIRE(why);
  CHECK_THAT(*why, ContainsSubstring("silent"));
}

TEST_CASE("doctor: libraries are loaded in another process") {
  CHECK_FALSE(probe_library(TILEWRIGHT_BAD_DRIVER_LIBRARY, TILEWRIGHT_PROGRAM));
  const auto why = probe_library("libno-such-library.so.9", TILEWRIGHT_PROGRAM);
  REQUIRE(why);
  CHECK_THAT(*why, ContainsSubstring("libno-such-library.so.9"));
}

TEST_CASE("doctor: drivers are also queried one at a time") {
  const OpenClProbe all = probe_opencl("", TILEWRIGHT_PROGRAM);
  CHECK(all.failure.empty());
  REQUIRE_FALSE(all.devices.empty());
  CHECK_FALSE(all.devices[0].identity.name.empty());
  const TemporaryFolder folder;
  std::ofstream(folder.file("none.icd")) << "libno-such-library.so.9\n";
  const OpenClProbe none = probe_opencl(folder.file("none.icd"), TILEWRIGHT_PROGRAM);
  CHECK(none.failure.empty());
  CHECK(none.devices.empty());
}

}  // namespace
}  // namespace tilewright
