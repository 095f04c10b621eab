// Creates artificial sysfs folders for tests of clocks.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tilewright {

// A temporary folder in place of /sys, initially empty.
class MadeUpSysfs {
 public:
  MadeUpSysfs() {
    static int count = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("tilewright_sysfs_" + std::to_string(getpid()) + "_" + std::to_string(++count)))
                .string();
    std::filesystem::create_directories(path_);
  }
  ~MadeUpSysfs() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  MadeUpSysfs(const MadeUpSysfs&) = delete;
  MadeUpSysfs& operator=(const MadeUpSysfs&) = delete;

  const std::string& path() const { return path_; }
  // Writes class/devfreq/<device>/<file>.
  void write(const std::string& device, const std::string& file, const std::string& text) const {
    const std::string folder = path_ + "/class/devfreq/" + device;
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/" + file) << text;
  }

 private:
  std::string path_;
};

}  // namespace tilewright
