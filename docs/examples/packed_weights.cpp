// How does a C++ program pack weights once and multiply with them many times?
//
//   packed_weights_cpp [PROFILE|-] [DEVICE]
//
// PROFILE and DEVICE are as for sgemm_cpp. The program computes C = alpha A W for three matrices A
// and one W, which is packed before the first product, compares each C with a plain loop, and
// prints PASS or FAIL; its exit code is 0 or 1.
#include <cmath>
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

constexpr std::size_t m = 37;
constexpr std::size_t n = 53;
constexpr std::size_t k = 29;

void require_opencl(cl_int code, const char* call) {
  if (code != CL_SUCCESS) {
    throw std::runtime_error(std::string(call) + " failed with OpenCL code " +
                             std::to_string(code));
  }
}

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

std::vector<float> values(std::size_t count, unsigned seed) {
  std::vector<float> result(count);
  for (float& value : result) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return result;
}

cl::Buffer to_device(const cl::Context& context, std::vector<float>& host) {
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, host.size() * sizeof(float),
                    host.data(), &code);
  require_opencl(code, "clCreateBuffer");
  return buffer;
}

// C (m x n) = alpha A (m x k) W (k x n), all row-major without gaps.
bool is_product(const std::vector<float>& c, float alpha, const std::vector<float>& a,
                const std::vector<float>& w) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (std::size_t l = 0; l < k; ++l) {
        sum += static_cast<double>(a[i * k + l]) * w[l * n + j];
      }
      if (!(std::fabs(c[i * n + j] - alpha * sum) <= 1e-4)) return false;  // a NaN, too
    }
  }
  return true;
}

// Without a file, or with "-", tilewright finds a profile itself.
tw::Options with_profile(const std::string& file) {
  return file == "-" ? tw::Options() : tw::Options().profile_path(file);
}

bool run(const std::string& profile, std::size_t number) {
  const cl::Device device = find_device(number);
  cl_int code = CL_SUCCESS;
  const cl::Context context(device, nullptr, nullptr, nullptr, &code);
  require_opencl(code, "clCreateContext");
  const cl::CommandQueue queue(context, device, 0, &code);
  require_opencl(code, "clCreateCommandQueue");
  const tw::Library library(context, device, with_profile(profile));
  std::printf("profile: %s\n", library.profile_origin().c_str());

  // 1. Plan: which kernel, and how many bytes. Nothing is allocated.
  const tw::Plan plan = library.plan<float>({.m = m, .n = n, .k = k});
  std::printf("%s: %s\nW packed: %zu bytes; workspace: %zu bytes\n", plan.kernel().c_str(),
              plan.reason().c_str(), plan.packed_bytes(TW_OPERAND_B), plan.workspace_bytes());

  // 2. Pack the weights, once. (With a tw::Memory they go to a buffer of one's own.) If the
  // kernel can read W in place, nothing is copied; then do not modify the buffer.
  std::vector<float> w = values(k * n, 1);
  const cl::Buffer buffer_w = to_device(context, w);
  const tw::PackedMatrix weights = plan.pack_b(queue, {buffer_w, 0, n});

  // 3. Execute any number of times, with other A, C, alpha and beta.
  bool right = true;
  for (unsigned i = 0; i < 3; ++i) {
    const float alpha = 1.0f + static_cast<float>(i);
    std::vector<float> a = values(m * k, 2 + i);
    std::vector<float> c(m * n, std::nanf(""));  // beta is 0: C is not read
    const cl::Buffer buffer_c = to_device(context, c);
    const cl::Buffer buffer_a = to_device(context, a);
    const std::vector<cl::Event> done{
        plan.execute(queue, {buffer_a, 0, k}, weights, {buffer_c, 0, n}, alpha)};
    require_opencl(
        queue.enqueueReadBuffer(buffer_c, CL_TRUE, 0, c.size() * sizeof(float), c.data(), &done),
        "clEnqueueReadBuffer");
    right = right && is_product(c, alpha, a, w);
  }
  return right;  // 4. The plan and the packed weights are freed at the end of their scope.
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 3) throw std::invalid_argument("usage: packed_weights_cpp [PROFILE|-] [DEVICE]");
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
