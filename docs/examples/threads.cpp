// How do the threads of a C++ program multiply with one library?
//
//   threads_cpp [PROFILE|-] [DEVICE]
//
// PROFILE and DEVICE are as for sgemm_cpp. All threads use one library and share weights that
// were packed once. Each thread has its own queue. Every product is compared with a plain loop. The
// program prints PASS or FAIL; its exit code is 0 or 1.
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#include <CL/opencl.hpp>

#include <tilewright/tilewright.hpp>

namespace {

constexpr unsigned num_threads = 4;
constexpr unsigned products_of_each = 8;
// The weights W are k x n; the inputs of all threads have m rows.
constexpr std::size_t m = 21;
constexpr std::size_t n = 40;
constexpr std::size_t k = 33;

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

// Reproducible values between -1 and 1.
std::vector<float> values(std::size_t count, unsigned seed) {
  std::vector<float> result(count);
  for (float& value : result) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
  }
  return result;
}

// Is C = A W, all row-major without gaps?
bool is_product(const std::vector<float>& c, const std::vector<float>& a,
                const std::vector<float>& w) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (std::size_t l = 0; l < k; ++l) {
        sum += static_cast<double>(a[i * k + l]) * w[l * n + j];
      }
      if (!(std::fabs(c[i * n + j] - sum) <= 1e-4)) return false;  // a NaN, too
    }
  }
  return true;
}

// What all threads share. None of it needs a lock.
struct Shared {
  cl::Context context;
  cl::Device device;
  tw::Library library;
  std::vector<float> w;
  cl::Buffer w_buffer;
  tw::Plan plan;
  tw::PackedMatrix weights;  // w, packed for the plan
};

// The even products go through the library, the odd ones through the shared plan and weights.
bool multiply_some(const Shared& shared, unsigned number) {
  const cl::CommandQueue queue(shared.context, shared.device);
  const cl::Buffer c_buffer(shared.context, CL_MEM_READ_WRITE, m * n * sizeof(float));
  for (unsigned i = 0; i < products_of_each; ++i) {
    std::vector<float> a = values(m * k, 1 + number * products_of_each + i);
    std::vector<float> c(m * n);
    const cl::Buffer a_buffer(queue, a.begin(), a.end(), true);
    const tw::Event done =
        i % 2 == 0 ? shared.library.gemm<float>(queue, {.m = m, .n = n, .k = k}, {a_buffer, 0, k},
                                                {shared.w_buffer, 0, n}, {c_buffer, 0, n})
                   : shared.plan.execute(queue, {a_buffer, 0, k}, shared.weights, {c_buffer, 0, n});
    done.wait();
    if (cl::copy(queue, c_buffer, c.begin(), c.end()) != CL_SUCCESS) return false;
    if (!is_product(c, a, shared.w)) return false;
  }
  return true;
}

// No exception may leave a thread.
void run_thread(const Shared& shared, unsigned number, std::string& said) {
  try {
    said = multiply_some(shared, number) ? "right" : "wrong";
  } catch (const std::exception& error) {
    said = error.what();
  }
}

// Without a file, or with "-", tilewright finds a profile itself.
tw::Options with_profile(const std::string& file) {
  return file == "-" ? tw::Options() : tw::Options().profile_path(file);
}

Shared prepare(const std::string& profile, std::size_t number) {
  const cl::Device device = find_device(number);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  const tw::Library library(context, device, with_profile(profile));
  std::printf("profile: %s\n", library.profile_origin().c_str());
  std::vector<float> w = values(k * n, 7);
  const cl::Buffer w_buffer(queue, w.begin(), w.end(), true);
  const tw::Plan plan = library.plan<float>({.m = m, .n = n, .k = k});
  const tw::PackedMatrix weights = plan.pack_b(queue, {w_buffer, 0, n});
  return {context, device, library, w, w_buffer, plan, weights};
}

bool run(const std::string& profile, std::size_t number) {
  const Shared shared = prepare(profile, number);
  std::vector<std::string> said(num_threads);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < num_threads; ++i) {
    threads.emplace_back(run_thread, std::cref(shared), i, std::ref(said[i]));
  }
  bool right = true;
  for (unsigned i = 0; i < num_threads; ++i) {
    threads[i].join();
    std::printf("thread %u: %u products: %s\n", i, products_of_each, said[i].c_str());
    right = right && said[i] == "right";
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 3) throw std::invalid_argument("usage: threads_cpp [PROFILE|-] [DEVICE]");
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
