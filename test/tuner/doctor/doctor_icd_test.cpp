// Tests of ICD files and the libraries that they name, of drivers without an ICD file, and of
// problems of PoCL.
#include "doctor_case.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

TEST_CASE("doctor: an ICD file that names a library which is not a driver") {
  MadeUpBoard board;
  make_xu4(board);
  const std::string library = "/usr/lib/arm-linux-gnueabihf/mali-egl/libmali.so";
  // A library such as libm, and the loader, which contains the entry point of drivers and reads a
  // variable.
  for (const char* symbols : {"cosf", "clIcdGetPlatformIDsKHR OCL_ICD_VENDORS"}) {
    board.library(library, kArm, symbols);
    const Finding icd = examined(board).of("icd");
    CHECK(icd.state == FindingState::kProblem);
    CHECK_THAT(icd.seen,
               ContainsSubstring("mali.icd names " + library + ", which is not an OpenCL driver"));
    CHECK_THAT(icd.advice, ContainsSubstring("sudo rm '/etc/OpenCL/vendors/mali.icd'"));
  }
  // The entry point may be anywhere in the file.
  board.library(library, kArm, std::string((1 << 20) - 70, 'x') + "clIcdGetPlatformIDsKHR");
  CHECK(examined(board).of("icd").state == FindingState::kOk);
}

TEST_CASE("doctor: an ICD file with more than the name on its first line") {
  MadeUpBoard board;
  make_rk3588(board);
  const std::string icd_file = "/etc/OpenCL/vendors/mali.icd";
  for (const auto& [text, what] : {std::pair{"libmali.so.1\r\n", "a carriage return"},
                                   {"libmali.so.1 \n", "blanks around"},
                                   {"\tlibmali.so.1", "blanks around"},
                                   {"\xef\xbb\xbflibmali.so.1\n", "a byte-order mark"}}) {
    board.write(icd_file, text);
    const Finding icd = examined(board).of("icd");
    CHECK(icd.state == FindingState::kProblem);
    CHECK_THAT(icd.seen,
               ContainsSubstring(icd_file + " has " + what) && ContainsSubstring("libmali.so.1"));
    CHECK(icd.advice == "sudo sed -i '1s|.*|libmali.so.1|' '" + icd_file + "'");
  }
  board.write(icd_file, "libmali.so.1");  // without a line feed
  CHECK(examined(board).of("icd").state == FindingState::kOk);
}

TEST_CASE("doctor: a driver that no ICD file names") {
  MadeUpBoard board;
  add_common(board);
  board.library("/usr/lib/aarch64-linux-gnu/libOpenCL.so.1", kAarch64, "OCL_ICD_VENDORS");
  const std::string folder = "/usr/lib/aarch64-linux-gnu/";
  for (const auto& [library, icd_file] : {std::pair{"libnvidia-opencl.so.1", "nvidia.icd"},
                                          {"libpocl.so.2", "pocl.icd"},
                                          {"libRusticlOpenCL.so.1", "rusticl.icd"},
                                          {"libMesaOpenCL.so.1", "mesa.icd"},
                                          {"libamdocl64.so", "amdocl64.icd"},
                                          {"intel-opencl/libigdrcl.so", "intel.icd"}}) {
    board.library(folder + library, kAarch64);
    const Finding icd = examined(board, odroid(), std::nullopt).of("icd");
    CHECK(icd.state == FindingState::kProblem);
    CHECK_THAT(icd.seen,
               ContainsSubstring(folder + library + " is installed, but no ICD file names it"));
    CHECK(icd.advice == "sudo mkdir -p /etc/OpenCL/vendors; echo " + folder + library +
                            " | sudo tee /etc/OpenCL/vendors/" + icd_file);
    DoctorUser user = odroid();
    user.machine = "ARM (32 bit)";  // a program that cannot load it
    CHECK_THAT(examined(board, user, std::nullopt).of("icd").seen,
               ContainsSubstring("no OpenCL platform"));
    board.remove(folder + library);
  }
  // Another driver is in use.
  board.library(folder + "libpocl.so.2", kAarch64)
      .library(folder + "libnvidia-opencl.so.1", kAarch64)
      .write("/etc/OpenCL/vendors/pocl.icd", "libpocl.so.2\n");
  const Examined seen = examined(board, odroid(), std::nullopt);
  CHECK(seen.of("icd", "libnvidia-opencl.so.1 is installed").state == FindingState::kNote);
  CHECK(seen.of("icd", "libpocl").state == FindingState::kOk);
  // A variable of the user redirects the loader.
  DoctorUser user = odroid();
  user.environment["OCL_ICD_VENDORS"] = "/nowhere.icd";
  for (const Finding& finding : examined(board, user, std::nullopt).findings) {
    CHECK_THAT(finding.seen, !ContainsSubstring("no ICD file names it"));
  }
  user.environment["OCL_ICD_VENDORS"] = "/nowhere/";
  CHECK_THAT(examined(board, user, std::nullopt).of("icd", "names /nowhere/").advice,
             EndsWith("or unset OCL_ICD_VENDORS"));
}

TEST_CASE("doctor: a variable that hides the ICD files of the system is to be unset") {
  MadeUpBoard board;
  make_xu4(board);
  board.library("/usr/lib/arm-linux-gnueabihf/libpocl.so.2", kArm)
      .write("/etc/OpenCL/vendors/pocl.icd", "libpocl.so.2\n")
      .write("/empty/notes.txt", "no driver");
  for (const char* name : {"OPENCL_VENDOR_PATH", "OCL_ICD_VENDORS"}) {
    DoctorUser user = odroid();
    user.environment[name] = "/empty";
    const Examined seen = examined(board, user, OpenClProbe{});
    const Finding icd = seen.of("icd");
    CHECK(icd.state == FindingState::kProblem);
    CHECK_THAT(icd.seen, ContainsSubstring(std::string(name) + "=/empty"));
    CHECK(icd.advice == "unset " + std::string(name));
    for (const Finding& finding : seen.findings) {
      CHECK_THAT(finding.advice, !ContainsSubstring("sudo tee"));
    }
  }
  // A folder with another driver hides them on purpose.
  board.library("/usr/lib/arm-linux-gnueabihf/libMesaOpenCL.so.1", kArm)
      .write("/empty/mesa.icd", "libMesaOpenCL.so.1\n");
  DoctorUser user = odroid();
  user.environment["OPENCL_VENDOR_PATH"] = "/empty";
  for (const Finding& finding : examined(board, user).findings) {
    CHECK_THAT(finding.seen, !ContainsSubstring("no ICD file names it"));
  }
}

TEST_CASE("doctor: the advice to name a driver does not overwrite an ICD file") {
  MadeUpBoard board;
  make_xu4(board);
  board.library("/usr/lib/arm-linux-gnueabihf/libpocl.so.2", kArm);
  const auto advice = [&] { return examined(board).of("icd", "libpocl.so.2 is installed").advice; };
  CHECK_THAT(advice(), ContainsSubstring("/vendors/pocl.icd"));
  board.write("/etc/OpenCL/vendors/pocl.icd", "");
  CHECK_THAT(advice(), ContainsSubstring("/vendors/pocl-2.icd"));
  board.write("/etc/OpenCL/vendors/pocl-2.icd", "/opt/libother.so\n");
  CHECK_THAT(advice(), ContainsSubstring("/vendors/pocl-3.icd"));
}

TEST_CASE("doctor: a libmali that was built without OpenCL is not recommended") {
  MadeUpBoard board;
  make_rk3588(board);
  const std::string folder = "/usr/lib/aarch64-linux-gnu/";
  board.remove("/etc/OpenCL")
      .remove(folder + "libmali.so.1")
      .library(folder + "libmali-valhall-g610-g6p0-without-cl-x11.so", kAarch64, "eglInitialize");
  CHECK_THAT(examined(board).of("icd").advice, ContainsSubstring("install"));
  board.library(folder + "libmali-valhall-g610-g6p0-x11.so", kAarch64);
  CHECK_THAT(examined(board).of("icd").advice,
             ContainsSubstring("echo " + folder + "libmali-valhall-g610-g6p0-x11.so |"));
}

TEST_CASE("doctor: two ICD files that name one library") {
  MadeUpBoard board;
  make_rk3588(board);
  board.write("/etc/OpenCL/vendors/a.icd", "/usr/lib/aarch64-linux-gnu/libmali.so.1\n");
  const OpenClProbe probe{{mali(4), mali(4)}, ""};
  const Examined seen = examined(board, odroid(), probe);
  const Finding twin = seen.of("icd", "mali.icd");
  CHECK(twin.state == FindingState::kNote);
  CHECK_THAT(twin.seen, ContainsSubstring("like /etc/OpenCL/vendors/a.icd") &&
                            ContainsSubstring("listed twice"));
  CHECK(twin.advice == "sudo rm '/etc/OpenCL/vendors/mali.icd'");
  // Equal devices use the same profile.
  for (const Finding& finding : seen.findings)
    CHECK_THAT(finding.advice, !ContainsSubstring("tune each of them"));
}

TEST_CASE("doctor: a driver that lists no device is named") {
  MadeUpBoard board;
  make_rk3588(board);
  OpenClProbe probe;
  probe.without_devices = {"/etc/OpenCL/vendors/mali.icd"};
  const Examined nothing = examined(board, odroid(), probe);
  CHECK(nothing.of("icd").state == FindingState::kProblem);
  CHECK_THAT(nothing.of("icd").seen,
             ContainsSubstring("mali.icd names ") && ContainsSubstring("lists no device"));
  CHECK_THAT(nothing.of("opencl").advice, ContainsSubstring("above"));
  probe.devices = {mali(4)};
  CHECK(examined(board, odroid(), probe).of("icd", "lists no device").state == FindingState::kNote);
  // If nothing else is wrong, the message does not mention problems above.
  const Examined unexplained = examined(board, odroid(), OpenClProbe{});
  CHECK(unexplained.of("icd").state == FindingState::kOk);
  CHECK_THAT(unexplained.of("opencl").seen, ContainsSubstring("no driver"));
  CHECK_THAT(unexplained.of("opencl").advice, !ContainsSubstring("above"));
}

TEST_CASE("doctor: problems of PoCL's cache and of its threads") {
  MadeUpBoard board;
  make_xu4(board);
  DoctorUser user = odroid();
  user.unwritable_pocl_cache = "/.cache/pocl/kcache";
  user.environment["POCL_AFFINITY"] = "0";
  CHECK_FALSE(examined(board, user).has("pocl"));  // it is not installed
  board.library("/usr/lib/arm-linux-gnueabihf/libpocl.so.2", kArm)
      .write("/etc/OpenCL/vendors/pocl.icd", "libpocl.so.2\n");
  const Finding cache = examined(board, user).of("pocl", "cache folder '/.cache/pocl/kcache'");
  CHECK(cache.state == FindingState::kProblem);
  CHECK_THAT(cache.advice, ContainsSubstring("export POCL_CACHE_DIR="));
  CHECK(examined(board, user).of("pocl", "POCL_AFFINITY=0").state == FindingState::kNote);
  user = odroid();
  CHECK_FALSE(examined(board, user).has("pocl"));
}

}  // namespace
}  // namespace tilewright
