// The main() of test programs that need an OpenCL device: without one they skip, with the reason.
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#if defined(__GNUC__) && !defined(__clang__)
// With sanitizers on, GCC 12 finds fault with std::regex inside of Catch2.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <string>

#include "test_device.hpp"

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  // Tests compile what they test, and leave nothing in the user's cache.
  setenv("TILEWRIGHT_CACHE", "off", 0);
  // ocl-icd 2.3.1 cuts this list apart in place, so that programs that a test starts would see its
  // first driver only.
  const char* listed = std::getenv("OCL_ICD_FILENAMES");
  const std::string drivers = listed == nullptr ? "" : listed;
  const auto reason = tilewright::reason_to_skip();
  if (!drivers.empty()) setenv("OCL_ICD_FILENAMES", drivers.c_str(), 1);
  if (reason) {
    std::printf("SKIPPED: %s\n", reason->c_str());
    return kSkipped;
  }
  return Catch::Session().run(argc, argv);
}
