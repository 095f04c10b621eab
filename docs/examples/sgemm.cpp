// How does a C++ program multiply matrices with tilewright?
//
//   sgemm_cpp [PROFILE|-] [DEVICE]
//
// PROFILE is a profile file; without it, or with "-", tilewright finds one itself. DEVICE is a
// number as `tilewright devices` prints it (default 0). The program computes C = alpha A B + beta C
// and then C = alpha A^T B in column-major order, for small matrices with gaps between their rows
// or columns, compares both with a plain loop, and prints PASS or FAIL; its exit code is 0 or 1.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#include <CL/opencl.hpp>

#include <tilewright/tilewright.hpp>

namespace {

void require_opencl(cl_int code, const char* call) {
  if (code != CL_SUCCESS) {
    throw std::runtime_error(std::string(call) + " failed with OpenCL code " +
                             std::to_string(code));
  }
}

// The device with that number, counted over all platforms.
cl::Device find_device(std::size_t number) {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  std::vector<cl::Device> all;
  for (const cl::Platform& platform : platforms) {
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    all.insert(all.end(), devices.begin(), devices.end());
  }
  if (number < all.size()) return all[number];
  throw std::runtime_error("there is no OpenCL device " + std::to_string(number));
}

// A matrix on the host as BLAS sees one: `lines` rows (columns, if column-major) `ld` elements
// apart.
struct HostMatrix {
  HostMatrix(std::size_t lines, std::size_t ld, unsigned seed) : ld(ld), values(lines * ld) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> distribution(-1.0f, 1.0f);
    std::generate(values.begin(), values.end(), [&] { return distribution(generator); });
  }

  float at(tw_layout layout, std::size_t row, std::size_t column) const {
    return layout == TW_ROW_MAJOR ? values[row * ld + column] : values[column * ld + row];
  }

  std::size_t bytes() const { return values.size() * sizeof(float); }

  std::size_t ld;
  std::vector<float> values;
};

cl::Buffer to_device(const cl::Context& context, HostMatrix& matrix) {
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, matrix.bytes(),
                    matrix.values.data(), &code);
  require_opencl(code, "clCreateBuffer");
  return buffer;
}

// What the product should write to row i and column j of C.
double expected(const tw::Gemm& product, const HostMatrix& a, const HostMatrix& b,
                const HostMatrix& c, std::size_t i, std::size_t j) {
  const auto op = [&](const HostMatrix& matrix, tw_transpose trans, std::size_t row,
                      std::size_t column) {
    return trans == TW_NO_TRANS ? matrix.at(product.layout, row, column)
                                : matrix.at(product.layout, column, row);
  };
  double sum = 0.0;
  for (std::size_t l = 0; l < product.k; ++l) {
    sum += static_cast<double>(op(a, product.trans_a, i, l)) * op(b, product.trans_b, l, j);
  }
  // Scalars have an imaginary part, for complex matrices.
  const double beta = product.beta.re;
  return product.alpha.re * sum + (beta == 0.0 ? 0.0 : beta * c.at(product.layout, i, j));
}

// Multiplies on the device, compares with the plain loop, and prints the worst difference.
bool multiply_and_compare(const tw::Library& library, const cl::Context& context,
                          const cl::CommandQueue& queue, const tw::Gemm& product, HostMatrix& a,
                          HostMatrix& b, HostMatrix& c) {
  const cl::Buffer buffer_c = to_device(context, c);
  // gemm returns as soon as the work is enqueued; the event completes when C is written.
  const cl::Buffer buffer_a = to_device(context, a);
  const cl::Buffer buffer_b = to_device(context, b);
  const cl::Event done = library.gemm<float>(queue, product, {buffer_a, 0, a.ld},
                                             {buffer_b, 0, b.ld}, {buffer_c, 0, c.ld});
  HostMatrix result = c;
  const std::vector<cl::Event> wait_list{done};
  require_opencl(queue.enqueueReadBuffer(buffer_c, CL_TRUE, 0, result.bytes(), result.values.data(),
                                         &wait_list),
                 "clEnqueueReadBuffer");

  bool right = true;
  double worst = 0.0;
  for (std::size_t i = 0; i < product.m; ++i) {
    for (std::size_t j = 0; j < product.n; ++j) {
      const double difference =
          std::fabs(result.at(product.layout, i, j) - expected(product, a, b, c, i, j));
      right = right && difference <= 1e-4;  // false for a NaN, too
      worst = std::max(worst, difference);
    }
  }
  std::printf("%zux%zux%zu: worst difference %.2g, by %s\n", product.m, product.n, product.k, worst,
              library.plan<float>(product).kernel().c_str());
  return right;
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

  constexpr std::size_t m = 37;
  constexpr std::size_t n = 53;
  constexpr std::size_t k = 29;
  // Row-major: A is m rows of k, B is k rows of n, C is m rows of n, each with a gap after every
  // row.
  HostMatrix a(m, k + 3, 1);
  HostMatrix b(k, n + 5, 2);
  HostMatrix c(m, n + 2, 3);
  const bool first = multiply_and_compare(
      library, context, queue, {.m = m, .n = n, .k = k, .alpha = 1.5f, .beta = 0.5f}, a, b, c);

  // Column-major, with A as its transpose: A is m columns of k, B is n columns of k, C is n columns
  // of m.
  HostMatrix a2(m, k + 1, 4);
  HostMatrix b2(n, k + 2, 5);
  HostMatrix c2(n, m + 3, 6);
  std::fill(c2.values.begin(), c2.values.end(), std::nanf(""));  // beta is 0: C is not read
  const bool second = multiply_and_compare(
      library, context, queue,
      {.m = m, .n = n, .k = k, .alpha = -2.0f, .trans_a = TW_TRANS, .layout = TW_COLUMN_MAJOR}, a2,
      b2, c2);
  return first && second;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 3) throw std::invalid_argument("usage: sgemm_cpp [PROFILE|-] [DEVICE]");
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
