// A program that links another version of fmt than tilewright does: both must work. Needs no
// device: without one it opens no library.
#include <fmt/format.h>

#include <cstdio>
#include <locale>
#include <string>
#include <tilewright/library.hpp>
#include <vector>

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
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::vector<cl::Device> devices;
  if (!platforms.empty()) platforms[0].getDevices(CL_DEVICE_TYPE_ALL, &devices);
  if (devices.empty()) {
    std::puts("no OpenCL device: no library is opened");
    return true;
  }
  const cl::Context context(devices[0]);
  tilewright::Library library = tilewright::Library::open(context, devices[0]);
  tilewright::GemmCall call;
  call.m = call.n = call.k = 8;
  const std::string explained = library.explain_all(call);
  std::fputs(explained.c_str(), stdout);
  return explained.find("NN 8x8x8, alpha 1, beta 0, ld 8 8 8") == 0;
}

}  // namespace

int main() {
  const bool passed = formats() && opens();
  fmt::print("{}\n", passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}
