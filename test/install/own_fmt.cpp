// A program that links another version of fmt than tilewright does: both must work. Needs no
// device: without one it opens no library.
#include <fmt/format.h>

#include <cstdio>
#include <locale>
#include <string>
#include <tilewright/tilewright.hpp>

namespace {

// Formats numbers, text and text for a locale, and checks that a wrong format is an error.
bool formats() {
  bool refused = false;
  try {
    static_cast<void>(fmt::format(fmt::runtime("{:d}"), "text"));
  } catch (const fmt::format_error&) {
    refused = true;
  }
  return refused &&
         fmt::format("{} {:.3f} {:g} {:#x} {:>5} {}", 42, 3.14159, 1e-7f, 255, "ab", true) ==
             "42 3.142 1e-07 0xff    ab true" &&
         fmt::format(std::locale::classic(), "{:L}", 1234567) == "1234567" &&
         fmt::format("{}", 0.1 + 0.2) == "0.30000000000000004";
}

// Messages of tilewright, which its own fmt formats.
bool opens() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) != CL_SUCCESS) {
    std::puts("no OpenCL device: no library is opened");
    return true;
  }
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  const std::string explained = tw::Library(context, device).explain<float>({8, 8, 8});
  clReleaseContext(context);
  std::fputs(explained.c_str(), stdout);
  return explained.find("NN 8x8x8, alpha 1, beta 0, ld 8 8 8") == 0;
}

}  // namespace

int main() {
  const bool passed = formats() && opens();
  fmt::print("{}\n", passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}
