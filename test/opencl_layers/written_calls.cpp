#include "written_calls.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "test_device.hpp"

namespace tilewright {
namespace {

struct CallsFile {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tilewright-calls-" + std::to_string(::getpid())))
          .string();
  ~CallsFile() { std::remove(path.c_str()); }
};

const std::string& calls_file() {
  static const CallsFile file;
  return file.path;
}

}  // namespace

void forget_calls() {
  std::ofstream(calls_file(), std::ios::trunc);
}

std::vector<std::string> written_calls(const std::string& kind) {
  std::ifstream file(calls_file());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(kind, 0) == 0) lines.push_back(line);
  }
  return lines;
}

// For device_main.cpp: runs before the first call of OpenCL, when the loader looks for layers.
std::optional<std::string> reason_to_skip() {
  ::setenv("OPENCL_LAYERS", TILEWRIGHT_OLD_DRIVER, 1);
  ::setenv("TILEWRIGHT_CALLS", calls_file().c_str(), 1);
  const auto device = find_test_device();
  if (!device) return "no OpenCL device";
  if (device->getInfo<CL_DEVICE_VERSION>().rfind("OpenCL 1.1 old driver", 0) == 0) {
    return std::nullopt;
  }
  return "the OpenCL loader does not honour OPENCL_LAYERS (ocl-icd since 2.3.0 does)";
}

}  // namespace tilewright
