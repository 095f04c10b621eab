// How does a C++ program contain the profile of its board, so that it needs no file?
//
//   profile_from_memory_cpp [DEVICE]
//
// CMakeLists.txt makes board_profile.h of a profile file (`xxd -i` would do as well). DEVICE is a
// number as `tilewright devices` prints it (default 0). On the board of the profile this
// profile is used; on another one the program falls back to the profile that tilewright finds by
// itself. It multiplies once to check that this works, and prints PASS or FAIL; its exit code is 0
// or 1.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#include <CL/opencl.hpp>

#include <tilewright/tilewright.hpp>

#include "board_profile.h"  // const unsigned char board_profile[], which ends with a 0

namespace {

// The device with that number, counted over all platforms.
cl::Device find_device(std::size_t number) {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    if (number < devices.size()) return devices[number];
    number -= devices.size();
  }
  throw std::runtime_error("there is no such OpenCL device");
}

// Opens the library with the embedded profile.
tw::Library open_library(const cl::Context& context, const cl::Device& device) {
  const std::string text = reinterpret_cast<const char*>(board_profile);
  try {
    return tw::Library(context, device, tw::Options().profile_text(text));
  } catch (const tw::Error& error) {
    if (error.status() != TW_WRONG_DEVICE) throw;
    // The program runs on another board than it was made for.
    std::fprintf(stderr, "%s\n", error.what());
    return tw::Library(context, device);
  }
}

// C = 2 A, as the product of 2 A and the identity.
bool works(const tw::Library& library, const cl::Context& context, const cl::CommandQueue& queue) {
  constexpr std::size_t size = 16;
  std::vector<float> a(size * size);
  std::vector<float> b(size * size);
  std::vector<float> c(size * size);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  for (std::size_t i = 0; i < size; ++i) b[i * size + i] = 1.0f;
  const cl::Buffer buffer_a(queue, a.begin(), a.end(), true);
  const cl::Buffer buffer_b(queue, b.begin(), b.end(), true);
  const cl::Buffer buffer_c(context, CL_MEM_READ_WRITE, c.size() * sizeof(float));
  const tw::Event done =
      library.gemm<float>(queue, {.m = size, .n = size, .k = size, .alpha = 2.0f},
                          {buffer_a, 0, size}, {buffer_b, 0, size}, {buffer_c, 0, size});
  done.wait();
  if (cl::copy(queue, buffer_c, c.begin(), c.end()) != CL_SUCCESS) return false;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (c[i] != 2.0f * a[i]) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const cl::Device device = find_device(argc > 1 ? std::stoul(argv[1]) : 0);
    const cl::Context context(device);
    const cl::CommandQueue queue(context, device);
    const tw::Library library = open_library(context, device);
    std::printf("profile: %s\n", library.profile_origin().c_str());
    const bool passed = works(library, context, queue);
    std::puts(passed ? "PASS" : "FAIL");
    return passed ? 0 : 1;
  } catch (const tw::Error& error) {
    std::fprintf(stderr, "%s: %s\nFAIL\n", tw_status_name(error.status()), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\nFAIL\n", error.what());
  }
  return 1;
}
