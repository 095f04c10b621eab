// Tests of boards whose OpenCL works, and of typical failures.
#include "doctor_case.hpp"

namespace tilewright {
namespace {

using Catch::Matchers::ContainsSubstring;

TEST_CASE("doctor: a working XU4 with its two devices") {
  MadeUpBoard board;
  make_xu4(board);
  const Examined seen = examined(board, odroid(), OpenClProbe{{mali(4), mali(2)}, ""});
  INFO(to_text(seen.findings));
  CHECK_FALSE(has_problems(seen.findings));
  CHECK_THAT(seen.of("node").seen, ContainsSubstring("/dev/mali0"));
  CHECK_THAT(seen.of("icd").seen, ContainsSubstring("built for ARM (32 bit)"));
  CHECK(seen.of("clock").seen ==
        "/sys/class/devfreq/11800000.mali:: governor performance, 800 MHz now, 200 MHz to 800 MHz, "
        "of 200 400 800 MHz");
  CHECK(seen.of("clock").state == FindingState::kOk);
  CHECK_THAT(seen.of("watchdog").seen, ContainsSubstring("after 5000 ms"));
  CHECK_THAT(seen.of("temperature").seen, ContainsSubstring("45.5 C"));
  CHECK_THAT(seen.of("memory").seen, ContainsSubstring("1500 MiB of 2000 MiB"));
  CHECK_THAT(seen.of("opencl", "0: ").seen, ContainsSubstring("Mali-T628 (gpu, 4 compute units"));
  CHECK_THAT(seen.of("opencl", "1: ").seen, ContainsSubstring("2 compute units"));
  const Finding halves = seen.of("opencl", "devices 0 and 1");
  CHECK(halves.state == FindingState::kNote);
  CHECK_THAT(halves.advice, ContainsSubstring("--device 0"));
}

TEST_CASE("doctor: a working RK3399 with Mesa") {
  MadeUpBoard board;
  make_rk3399(board);
  DoctorUser user = odroid();
  user.environment["RUSTICL_ENABLE"] = "panfrost";
  const Examined seen = examined(board, user);
  INFO(to_text(seen.findings));
  CHECK_FALSE(has_problems(seen.findings));
  CHECK_THAT(seen.of("node").seen,
             ContainsSubstring("renderD128 (panfrost, rockchip,rk3399-mali)"));
  CHECK_THAT(seen.of("rusticl").seen, ContainsSubstring("RUSTICL_ENABLE=panfrost"));
  CHECK_THAT(seen.of("watchdog").seen,
             ContainsSubstring("panfrost aborts a dispatch after 500 ms"));
}

TEST_CASE("doctor: a working RK3588 with the vendor's driver") {
  MadeUpBoard board;
  make_rk3588(board);
  const Examined seen = examined(board);
  INFO(to_text(seen.findings));
  CHECK_FALSE(has_problems(seen.findings));
  CHECK_THAT(seen.of("node").seen, ContainsSubstring("(kbase, Mali-G610 4 cores r0p0 0xA867)"));
  CHECK_THAT(seen.of("libmali").seen, ContainsSubstring("version g18p0-01eac0"));
  CHECK_THAT(seen.of("watchdog").seen, ContainsSubstring("2684354560 GPU cycles"));
  // The display controller is not a GPU.
  for (const Finding& finding : seen.findings) {
    CHECK(finding.seen.find("renderD128") == std::string::npos);
  }
}

TEST_CASE("doctor: an ICD file without a usable library") {
  MadeUpBoard board;
  make_xu4(board);
  const std::string library = "/usr/lib/arm-linux-gnueabihf/mali-egl/libmali.so";
  DoctorUser user = odroid();
  SECTION("the library is missing") {
    board.remove(library);
    const Finding icd = examined(board).of("icd");
    CHECK(icd.state == FindingState::kProblem);
    CHECK_THAT(icd.seen, ContainsSubstring("mali.icd names " + library + ", which does not exist"));
    CHECK_THAT(icd.advice, ContainsSubstring("mali.icd"));
  }
  SECTION("a dangling link") {
    board.remove(library).link(library, "/opt/mali/libmali.so");
    CHECK_THAT(examined(board).of("icd").seen, ContainsSubstring("does not exist"));
    board.library("/opt/mali/libmali.so", kArm);  // below the root, where the link leads
    CHECK(examined(board).of("icd").state == FindingState::kOk);
  }
  SECTION("a text file in place of the library") {
    board.write(library, "version https://git-lfs.github.com/spec/v1\n");
    CHECK_THAT(examined(board).of("icd").seen, ContainsSubstring("not a library"));
  }
  SECTION("another architecture") {
    user.machine = "AArch64";
    const Finding icd = examined(board, user).of("icd");
    CHECK(icd.state == FindingState::kProblem);
    CHECK_THAT(icd.seen, ContainsSubstring("built for ARM (32 bit)"));
  }
  SECTION("a library that does not load") {
    user.why_not_loaded = [&](const std::string& path) {
      CHECK(path == library);
      return std::optional<std::string>("libdrm.so.2: cannot open shared object file");
    };
    const Finding icd = examined(board, user).of("icd");
    CHECK(icd.state == FindingState::kProblem);
    CHECK_THAT(icd.seen, ContainsSubstring("libdrm.so.2"));
    CHECK_THAT(icd.advice, ContainsSubstring("ldd " + library));
  }
  SECTION("an empty file") {
    board.write("/etc/OpenCL/vendors/mali.icd", "\n");
    CHECK_THAT(examined(board).of("icd").seen, ContainsSubstring("is empty"));
  }
}

TEST_CASE("doctor: no ICD file, so that clinfo shows nothing") {
  MadeUpBoard board;
  make_rk3588(board);
  board.remove("/etc/OpenCL");
  const OpenClProbe nothing;
  SECTION("libmali is installed") {
    const Examined seen = examined(board, odroid(), nothing);
    CHECK(seen.of("icd").state == FindingState::kProblem);
    CHECK(seen.of("icd").advice ==
          "sudo mkdir -p /etc/OpenCL/vendors; echo /usr/lib/aarch64-linux-gnu/libmali.so.1 | sudo "
          "tee /etc/OpenCL/vendors/mali.icd");
    CHECK(seen.of("opencl").state == FindingState::kProblem);
  }
  SECTION("libmali is installed where an Odroid XU4 has it") {
    MadeUpBoard xu4;
    make_xu4(xu4);
    xu4.remove("/etc/OpenCL");
    CHECK_THAT(
        examined(xu4, odroid(), nothing).of("icd").advice,
        ContainsSubstring("echo /usr/lib/arm-linux-gnueabihf/mali-egl/libmali.so | sudo tee"));
  }
  SECTION("libmali is not installed, either") {
    board.remove("/usr/lib/aarch64-linux-gnu/libmali.so.1");
    const Examined seen = examined(board, odroid(), nothing);
    CHECK_THAT(seen.of("icd").advice, ContainsSubstring("install an OpenCL driver"));
    CHECK(seen.of("libmali").state == FindingState::kProblem);
  }
  SECTION("the loader is the driver itself") {
    board.remove("/usr/lib/aarch64-linux-gnu/libOpenCL.so.1")
        .link("/usr/lib/aarch64-linux-gnu/libOpenCL.so.1", "libmali.so.1");
    const Examined seen = examined(board);
    CHECK_FALSE(has_problems(seen.findings));
    CHECK(seen.of("loader").state == FindingState::kNote);
    CHECK(seen.of("icd").state == FindingState::kNote);
  }
  SECTION("the library that the program called counts") {
    const auto loader = [&](const OpenClLoader& called) {
      OpenClProbe probe{{mali(4)}, ""};
      probe.loader = called;
      return examined(board, odroid(), probe).of("loader");
    };
    const std::string path = "/opt/vendor/libOpenCL.so.1";
    CHECK(loader({path, true, {}, {}}) ==
          Finding{"loader", FindingState::kOk, path + " is used", ""});
    const Finding old = loader({path, false, {"clRetainDevice"}, {}});
    CHECK(old.state == FindingState::kNote);
    CHECK_THAT(old.seen, ContainsSubstring(path) && ContainsSubstring("it lacks clRetainDevice"));
    CHECK_THAT(old.advice, ContainsSubstring("apt install ocl-icd-libopencl1"));
    const Finding other = loader({path, false, {}, {}});
    CHECK(other.state == FindingState::kNote);
    CHECK_THAT(other.seen, ContainsSubstring("symbol versions"));
    const Finding none = loader({"", true, {}, {"libOpenCL.so.1: not found"}});
    CHECK(none.state == FindingState::kProblem);
    CHECK_THAT(none.seen, ContainsSubstring("libOpenCL.so.1: not found"));
    CHECK_THAT(none.advice, ContainsSubstring("TILEWRIGHT_OPENCL"));
  }
  SECTION("the loader is missing, too") {
    board.remove("/usr/lib/aarch64-linux-gnu/libOpenCL.so.1");
    CHECK(examined(board).of("loader").advice == "sudo apt install ocl-icd-libopencl1");
  }
}

TEST_CASE("doctor: a device node that the user may not use") {
  MadeUpBoard board;
  make_rk3399(board);
  DoctorUser user = odroid();
  user.may_use = [](const std::string& path) { return path != "/dev/dri/renderD128"; };
  SECTION("because the user is not in its group") {
    user.name = "somebody";
    const Finding node = examined(board, user).of("node");
    CHECK(node.state == FindingState::kProblem);
    CHECK_THAT(node.seen, ContainsSubstring("somebody cannot read and write /dev/dri/renderD128"));
    CHECK(node.advice == "sudo usermod -aG video somebody; then log in again");
    user.name.clear();
    const Finding unnamed = examined(board, user).of("node");
    CHECK_THAT(unnamed.seen, ContainsSubstring("this user cannot"));
    CHECK(unnamed.advice == "sudo usermod -aG video $USER; then log in again");
  }
  SECTION("because the login is older than the membership") {
    CHECK_THAT(examined(board, user).of("node").advice, ContainsSubstring("log out"));
  }
  SECTION("because no group may use it") {
    board.node("/dev/dri/renderD128", 0600);
    const Finding node = examined(board, user).of("node");
    CHECK_THAT(node.advice,
               ContainsSubstring("KERNEL==\"renderD128\", MODE=\"0660\", GROUP=\"video\""));
    CHECK_THAT(node.advice, ContainsSubstring("usermod -aG video odroid"));
  }
  SECTION("because it is missing, as in a container") {
    board.write("/sys/class/misc/mali0/device/gpuinfo", "Mali-T860\n");
    const Finding node = examined(board).of("node", "/dev/mali0");
    CHECK(node.state == FindingState::kProblem);
    CHECK_THAT(node.advice, ContainsSubstring("--device /dev/mali0"));
  }
}

TEST_CASE("doctor: a GPU without a kernel driver, and no GPU at all") {
  MadeUpBoard board;
  add_common(board);
  CHECK(examined(board).of("node").state == FindingState::kNote);
  board.write("/sys/bus/platform/devices/fb000000.gpu/uevent",
              "OF_NAME=gpu\nOF_COMPATIBLE_0=rockchip,rk3588-mali\n");
  const Finding node = examined(board).of("node");
  CHECK(node.state == FindingState::kProblem);
  CHECK_THAT(node.seen, ContainsSubstring("rockchip,rk3588-mali"));
  CHECK_THAT(node.advice, ContainsSubstring("modprobe panfrost"));
}

TEST_CASE("doctor: rusticl must be installed and enabled") {
  MadeUpBoard board;
  make_rk3399(board);
  board.write("/etc/environment", "");
  DoctorUser user = odroid();
  const OpenClProbe nothing;
  SECTION("not enabled") {
    const Finding rusticl = examined(board, user, nothing).of("rusticl");
    CHECK(rusticl.state == FindingState::kProblem);
    CHECK_THAT(rusticl.seen, ContainsSubstring("RUSTICL_ENABLE is not set"));
    CHECK_THAT(rusticl.advice, ContainsSubstring("export RUSTICL_ENABLE=panfrost"));
  }
  SECTION("enabled for another driver") {
    user.environment["RUSTICL_ENABLE"] = "radeonsi,iris";
    CHECK_THAT(examined(board, user, nothing).of("rusticl").seen, ContainsSubstring("panfrost"));
  }
  SECTION("enabled with other drivers, for one device") {
    user.environment["RUSTICL_ENABLE"] = "iris,panfrost:0";
    CHECK(examined(board, user, nothing).of("rusticl").state == FindingState::kOk);
  }
  SECTION("enabled at the next login, and on a copy of another machine") {
    board.write("/etc/environment", "LANG=C\nRUSTICL_ENABLE=\"panfrost\"\n");
    CHECK_THAT(examined(board, user, nothing).of("rusticl").advice,
               ContainsSubstring("RUSTICL_ENABLE=panfrost"));
    CHECK(examined(board, user, std::nullopt).of("rusticl").state == FindingState::kOk);
  }
  SECTION("enabled by this version of Mesa without the variable") {
    CHECK(examined(board).of("rusticl").state == FindingState::kOk);
  }
  SECTION("not installed") {
    board.remove("/etc/OpenCL/vendors/rusticl.icd");
    CHECK_THAT(examined(board, user, nothing).of("rusticl").advice,
               ContainsSubstring("apt install mesa-opencl-icd"));
  }
  SECTION("libmali on a kernel with Mesa's driver") {
    board.remove("/etc/OpenCL/vendors/rusticl.icd")
        .library("/usr/lib/libmali.so", kAarch64)
        .write("/etc/OpenCL/vendors/mali.icd", "libmali.so\n");
    CHECK_THAT(examined(board, user, nothing).of("rusticl").seen,
               ContainsSubstring("vendor's kernel driver"));
  }
}

TEST_CASE("doctor: requirements of kernel drivers") {
  MadeUpBoard board;
  make_rk3588(board);
  SECTION("Mesa on the vendor's kernel") {
    board.library("/usr/lib/libRusticlOpenCL.so.1", kAarch64)
        .remove("/etc/OpenCL/vendors/mali.icd")
        .write("/etc/OpenCL/vendors/rusticl.icd", "libRusticlOpenCL.so.1\n");
    const Finding libmali = examined(board).of("libmali");
    CHECK(libmali.state == FindingState::kProblem);
    CHECK_THAT(libmali.seen, ContainsSubstring("this kernel driver"));
    CHECK_THAT(libmali.seen, ContainsSubstring("g18p0"));
  }
  SECTION("the firmware of command-stream GPUs") {
    board.remove("/lib/firmware/mali_csffw.bin");
    CHECK(examined(board).of("firmware").state == FindingState::kProblem);
  }
  SECTION("panthor") {
    board.remove("/dev/mali0")
        .remove("/sys/class/misc")
        .write("/sys/class/drm/renderD128/device/uevent", "DRIVER=panthor\n");
    const Examined seen = examined(board);
    CHECK_THAT(seen.of("watchdog").seen,
               ContainsSubstring("panthor aborts a dispatch after 5000 ms"));
    CHECK_THAT(seen.of("rusticl").seen, ContainsSubstring("panthor"));
  }
  SECTION("a GPU without OpenCL") {
    board.write("/sys/class/drm/renderD128/device/uevent", "DRIVER=lima\n");
    CHECK_THAT(examined(board).of("lima").advice, ContainsSubstring("cannot run OpenCL"));
  }
}

}  // namespace
}  // namespace tilewright
