// The main() of test programs that need an OpenCL device. Without one they skip all cases and print
// the reason.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "session.hpp"
#include "test_device.hpp"

int main(int argc, char** argv) {
  // The build lists the cases, and the build machine may have no device.
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with("--list-")) return tilewright::run_tests(argc, argv);
  }
  // Tests compile their own kernels and store nothing in the user's cache.
  setenv("TILEWRIGHT_CACHE", "off", 0);
  // Many of them tune the same kernels, which the driver need not compile again each time.
  setenv("TILEWRIGHT_DRIVER_CACHE", "own", 0);
  // ocl-icd 2.3.1 modifies this list in place, so that programs started by a test would see only
  // the first driver.
  const char* listed = std::getenv("OCL_ICD_FILENAMES");
  const std::string drivers = listed == nullptr ? "" : listed;
  const auto reason = tilewright::reason_to_skip();
  if (!drivers.empty()) setenv("OCL_ICD_FILENAMES", drivers.c_str(), 1);
  if (reason) {
    std::printf("SKIPPED: %s\n", reason->c_str());
    return tilewright::kSkipped;
  }
  return tilewright::run_tests(argc, argv);
}
