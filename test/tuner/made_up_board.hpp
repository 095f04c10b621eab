// Creates the files of an artificial board for tests of the doctor.
//
// These are small trees for an Odroid XU4, an RK3399 and an RK3588, made from publicly known paths.
// They were not taken from real boards.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_folder.hpp"
#include "tuner/doctor/doctor.hpp"

namespace tilewright {

class MadeUpBoard {
 public:
  const std::string& root() const { return folder_.path(); }
  BoardFiles files() const { return BoardFiles(root()); }

  MadeUpBoard& write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root() + path).parent_path());
    std::ofstream(root() + path, std::ios::binary) << text;
    return *this;
  }
  MadeUpBoard& link(const std::string& path, const std::string& target) {
    std::filesystem::create_directories(std::filesystem::path(root() + path).parent_path());
    std::filesystem::create_symlink(target, root() + path);
    return *this;
  }
  // Adds a file that starts like a library for that machine and contains a symbol, by default the
  // entry point of an OpenCL driver.
  MadeUpBoard& library(const std::string& path, char elf_machine,
                       const std::string& symbol = "clIcdGetPlatformIDsKHR") {
    std::string head(64, '\0');
    head.replace(0, 7,
                 "\x7f"
                 "ELF\x02\x01\x01");
    head[18] = elf_machine;
    return write(path, head + symbol);
  }
  // Adds a device node, represented by a regular file.
  MadeUpBoard& node(const std::string& path, mode_t mode) {
    write(path, "");
    ::chmod((root() + path).c_str(), mode);
    return *this;
  }
  MadeUpBoard& remove(const std::string& path) {
    std::filesystem::remove_all(root() + path);
    return *this;
  }
  MadeUpBoard& clock(const std::string& device, const std::string& governor,
                     const std::string& now) {
    const std::string at = "/sys/class/devfreq/" + device + "/";
    return write(at + "governor", governor + "\n")
        .write(at + "cur_freq", now + "\n")
        .write(at + "min_freq", "200000000\n")
        .write(at + "max_freq", "800000000\n")
        .write(at + "available_frequencies", "200000000 400000000 800000000\n");
  }

 private:
  TemporaryFolder folder_;
};

inline constexpr char kArm = 40;
inline constexpr char kAarch64 = static_cast<char>(183);

// Adds the files that all boards have. Group video has the number of the files' own group, and
// odroid is a member.
inline void add_common(MadeUpBoard& board) {
  struct stat own = {};
  board.write("/proc/meminfo", "MemTotal: 2048000 kB\nMemFree: 100 kB\nMemAvailable: 1536000 kB\n")
      .write("/sys/class/thermal/thermal_zone0/type", "gpu-thermal\n")
      .write("/sys/class/thermal/thermal_zone0/temp", "45500\n")
      .write("/sys/class/thermal/thermal_zone0/trip_point_0_type", "passive\n")
      .write("/sys/class/thermal/thermal_zone0/trip_point_0_temp", "85000\n")
      .write("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  ::stat((board.root() + "/proc/meminfo").c_str(), &own);
  board.write("/etc/group", "root:x:99999:\nvideo:x:" + std::to_string(own.st_gid) +
                                ":odroid,rock\nrender:x:99998:\n");
}

// With the vendor's kernel 4.14 and driver.
inline void make_xu4(MadeUpBoard& board) {
  add_common(board);
  board.node("/dev/mali0", 0660)
      .write("/sys/class/misc/mali0/device/uevent",
             "DRIVER=mali\nOF_COMPATIBLE_0=arm,mali-midgard\n")
      .write("/sys/class/misc/mali0/device/js_timeouts", "100 100 300 5000 15000 500 5500 15500\n")
      .clock("11800000.mali:", "performance", "800000000")
      .library("/usr/lib/arm-linux-gnueabihf/libOpenCL.so.1", kArm)
      .library("/usr/lib/arm-linux-gnueabihf/mali-egl/libmali.so", kArm)
      .write("/etc/OpenCL/vendors/mali.icd", "/usr/lib/arm-linux-gnueabihf/mali-egl/libmali.so\n");
}

// With Debian's kernel, and Mesa.
inline void make_rk3399(MadeUpBoard& board) {
  add_common(board);
  board.node("/dev/dri/renderD128", 0660)
      .write(
          "/sys/class/drm/renderD128/device/uevent",
          "DRIVER=panfrost\nOF_COMPATIBLE_0=rockchip,rk3399-mali\nOF_COMPATIBLE_1=arm,mali-t860\n")
      .clock("ff9a0000.gpu", "performance", "800000000")
      .library("/usr/lib/aarch64-linux-gnu/libOpenCL.so.1", kAarch64)
      .library("/usr/lib/aarch64-linux-gnu/libRusticlOpenCL.so.1", kAarch64)
      .write("/etc/OpenCL/vendors/rusticl.icd", "libRusticlOpenCL.so.1\n")
      .write("/etc/environment", "RUSTICL_ENABLE=\"panfrost\"\n");
}

// With the vendor's kernel and driver.
inline void make_rk3588(MadeUpBoard& board) {
  add_common(board);
  board.node("/dev/mali0", 0666)
      .node("/dev/dri/renderD128", 0660)
      .write("/sys/class/drm/renderD128/device/uevent", "DRIVER=rockchip-drm\n")
      .write("/sys/class/misc/mali0/device/gpuinfo", "Mali-G610 4 cores r0p0 0xA867\n")
      .write("/sys/class/misc/mali0/device/progress_timeout", "2684354560\n")
      .write("/sys/module/bifrost_kbase/version", "g18p0-01eac0 (UK version 1.25)\n")
      .write("/lib/firmware/mali_csffw.bin", "firmware")
      .clock("fb000000.gpu", "performance", "800000000")
      .library("/usr/lib/aarch64-linux-gnu/libOpenCL.so.1", kAarch64)
      .library("/usr/lib/aarch64-linux-gnu/libmali.so.1", kAarch64)
      .write("/etc/OpenCL/vendors/mali.icd", "libmali.so.1\n");
}

}  // namespace tilewright
