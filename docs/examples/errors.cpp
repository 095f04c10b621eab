// Error handling in a C++ program.
//
//   errors_cpp [PROFILE|-] [DEVICE]
//
// PROFILE and DEVICE: see sgemm_cpp. The program makes mistakes on purpose and checks that each one
// is reported and enqueues nothing. Then it multiplies correctly. It prints PASS or FAIL; its exit
// code is 0 or 1.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#include <CL/opencl.hpp>

#include <tilewright/tilewright.hpp>

namespace {

constexpr std::size_t size = 16;
const tw::Gemm product{size, size, size};

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

// Prints who can correct the error, and how.
const char* advice(tw_status status) {
  switch (status) {
    case TW_NO_PROFILE:
    case TW_BAD_PROFILE:
    case TW_WRONG_DEVICE:
      return "the installation: use another profile, or the built-in one";
    case TW_OUT_OF_MEMORY:
      return "device memory: free it device memory and call again";
    case TW_BUILD_FAILURE:
    case TW_OPENCL_ERROR:
      return "the driver: see what() and opencl_code()";
    case TW_INTERNAL:
      return "tilewright: report it";
    default:
      return "the program: fix the call";
  }
}

// Does `action` fail with this status?
template <class Action>
bool fails(tw_status expected, const char* what, const Action& action) {
  try {
    action();
  } catch (const tw::Error& error) {
    std::printf("%s: %s: \"%s\"; cause: %s\n", what, tw_status_name(error.status()), error.what(),
                advice(error.status()));
    return error.status() == expected;
  }
  std::fprintf(stderr, "%s: no error\n", what);
  return false;
}

// A profile that is named and cannot be used is an error; the built-in one is always there to fall
// back to.
tw::Library open_or_fall_back(const cl::Context& context, const cl::Device& device,
                              const tw::Options& options) {
  try {
    return tw::Library(context, device, options);
  } catch (const tw::Error& error) {
    std::printf("%s: \"%s\"; the built-in profile is used\n", tw_status_name(error.status()),
                error.what());
    return tw::Library(context, device, tw::Options().built_in_profile());
  }
}

// Wrong arguments are found before anything is enqueued: C is as it was, and there is no event.
bool calls_fail(const tw::Library& library, const cl::CommandQueue& queue, const cl::Buffer& a,
                const cl::Buffer& b, const cl::Buffer& c) {
  bool good = fails(TW_INVALID_BUFFER_A, "no matrix A",
                    [&] { library.gemm<float>(queue, product, nullptr, b, c); });
  good = good && fails(TW_INVALID_LD_B, "rows of B that overlap", [&] {
           library.gemm<float>(queue, product, a, {b, 0, size - 1}, c);
         });
  good = good && fails(TW_INSUFFICIENT_BUFFER_C, "C beyond its buffer", [&] {
           library.gemm<float>(queue, product, a, b, {c, 1, size});
         });
  return good && fails(TW_INVALID_QUEUE, "no queue",
                       [&] { library.gemm<float>(nullptr, product, a, b, c); });
}

// The library still works after an error. If a command fails later on the device, its event reports
// the error: wait() throws tw::Error with the OpenCL code.
bool call_works(const tw::Library& library, const cl::CommandQueue& queue, const cl::Buffer& a,
                const cl::Buffer& b, const cl::Buffer& c) {
  library.gemm<float>(queue, product, a, b, c).wait();
  std::vector<float> result(size * size);
  if (cl::copy(queue, c, result.begin(), result.end()) != CL_SUCCESS) return false;
  return result == std::vector<float>(size * size, static_cast<float>(size));  // of ones
}

// Without a file, or with "-", tilewright finds a profile itself.
tw::Options with_profile(const std::string& file) {
  return file == "-" ? tw::Options() : tw::Options().profile_path(file);
}

bool run(const std::string& profile, std::size_t number) {
  const cl::Device device = find_device(number);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  open_or_fall_back(context, device, tw::Options().profile_path("/no/such/profile.toml"));
  const tw::Library library(context, device, with_profile(profile));
  std::printf("profile: %s\n", library.profile_origin().c_str());

  std::vector<float> ones(size * size, 1.0f);
  const cl::Buffer a(queue, ones.begin(), ones.end(), true);
  const cl::Buffer b(queue, ones.begin(), ones.end(), true);
  const cl::Buffer c(context, CL_MEM_READ_WRITE, size * size * sizeof(float));
  return calls_fail(library, queue, a, b, c) && call_works(library, queue, a, b, c);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 3) throw std::invalid_argument("usage: errors_cpp [PROFILE|-] [DEVICE]");
    const bool passed = run(argc > 1 ? argv[1] : "-", argc > 2 ? std::stoul(argv[2]) : 0);
    std::puts(passed ? "PASS" : "FAIL");
    return passed ? 0 : 1;
  } catch (const tw::Error& error) {
    std::fprintf(stderr, "%s: %s\nFAIL\n", tw_status_name(error.status()), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\nFAIL\n", error.what());
  }
  return 1;
}
