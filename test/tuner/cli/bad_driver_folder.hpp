// Adds a faulty driver to the working ones for a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "scoped_variable.hpp"
#include "temporary_folder.hpp"

namespace tilewright {

// While this exists, the loader reads a folder of ICD files that name the faulty driver
// (bad_driver.cpp) and, if `with_others` is true, the drivers in /etc/OpenCL/vendors.
struct BadDriver {
  explicit BadDriver(const char* fault, bool with_others = false)
      : behaviour("TILEWRIGHT_BAD_DRIVER", fault),
        vendors("OCL_ICD_VENDORS", folder.path().c_str()) {
    std::ofstream(folder.file("bad.icd")) << TILEWRIGHT_BAD_DRIVER_LIBRARY << '\n';
    if (!with_others) return;
    std::error_code none;  // without such a folder there are no other devices
    for (const auto& entry : std::filesystem::directory_iterator("/etc/OpenCL/vendors", none)) {
      std::filesystem::copy_file(entry.path(), folder.file(entry.path().filename().string()));
    }
  }
  TemporaryFolder folder;
  ScopedVariable behaviour;
  ScopedVariable vendors;
};

}  // namespace tilewright
