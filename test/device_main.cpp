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

#include "test_device.hpp"

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  if (!tilewright::find_test_device()) {
    std::puts("SKIPPED: no OpenCL device (TILEWRIGHT_TEST_DEVICE names one by part of its name)");
    return kSkipped;
  }
  return Catch::Session().run(argc, argv);
}
