// How does a C++ program multiply matrices with tilewright?
//
//   sgemm_cpp [PROFILE|-] [DEVICE]
//
// PROFILE is a profile file; without it, or with "-", tilewright finds one itself. DEVICE is a number as
// `tilewright devices` prints it (default 0). The program computes C = alpha A B + beta C and then
// C = alpha A^T B in column-major order, for small matrices with gaps between their rows or columns,
// compares both with a plain loop, and prints PASS or FAIL; its exit code is 0 or 1.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <tilewright/library.hpp>

namespace {

using tilewright::GemmCall;
using tilewright::Library;
using tilewright::Order;
using tilewright::ProfileSource;
using tilewright::Transpose;

void require_opencl(cl_int code, const char* call) {
  if (code != CL_SUCCESS) {
    throw std::runtime_error(std::string(call) + " failed with OpenCL code " + std::to_string(code));
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

// A matrix on the host as BLAS sees one: `lines` rows (columns, if column-major) `ld` elements apart.
struct HostMatrix {
  HostMatrix(std::size_t lines, std::size_t ld, unsigned seed) : ld(ld), values(lines * ld) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> distribution(-1.0f, 1.0f);
    std::generate(values.begin(), values.end(), [&] { return distribution(generator); });
  }

  float at(Order order, std::size_t row, std::size_t column) const {
    return order == Order::kRowMajor ? values[row * ld + column] : values[column * ld + row];
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

// What the call should write to row i and column j of C.
double expected(const GemmCall& call, const HostMatrix& a, const HostMatrix& b, const HostMatrix& c,
                std::size_t i, std::size_t j) {
  const auto op = [&](const HostMatrix& matrix, Transpose trans, std::size_t row, std::size_t column) {
    return trans == Transpose::kNo ? matrix.at(call.order, row, column)
                                   : matrix.at(call.order, column, row);
  };
  double sum = 0.0;
  for (std::size_t l = 0; l < call.k; ++l) {
    sum += static_cast<double>(op(a, call.trans_a, i, l)) * op(b, call.trans_b, l, j);
  }
  // Scalars have an imaginary part, for complex matrices.
  const double beta = call.beta.real();
  return call.alpha.real() * sum + (beta == 0.0 ? 0.0 : beta * c.at(call.order, i, j));
}

// Multiplies on the device, compares with the plain loop, and prints the worst difference.
bool multiply_and_compare(Library& library, const cl::Context& context, const cl::CommandQueue& queue,
                          const GemmCall& call, HostMatrix& a, HostMatrix& b, HostMatrix& c) {
  const cl::Buffer buffer_c = to_device(context, c);
  // sgemm returns as soon as the work is enqueued; the event says when C is written.
  const cl::Event done = library.sgemm(queue, call, {to_device(context, a), 0, a.ld},
                                       {to_device(context, b), 0, b.ld}, {buffer_c, 0, c.ld});
  HostMatrix result = c;
  const std::vector<cl::Event> wait_list{done};
  require_opencl(
      queue.enqueueReadBuffer(buffer_c, CL_TRUE, 0, result.bytes(), result.values.data(), &wait_list),
      "clEnqueueReadBuffer");

  bool right = true;
  double worst = 0.0;
  for (std::size_t i = 0; i < call.m; ++i) {
    for (std::size_t j = 0; j < call.n; ++j) {
      const double difference = std::fabs(result.at(call.order, i, j) - expected(call, a, b, c, i, j));
      right = right && difference <= 1e-4;  // false for a NaN, too
      worst = std::max(worst, difference);
    }
  }
  std::printf("%zux%zux%zu: worst difference %.2g, by %s\n", call.m, call.n, call.k, worst,
              library.explain(call).c_str());
  return right;
}

bool run(const std::string& profile, std::size_t number) {
  const cl::Device device = find_device(number);
  cl_int code = CL_SUCCESS;
  const cl::Context context(device, nullptr, nullptr, nullptr, &code);
  require_opencl(code, "clCreateContext");
  const cl::CommandQueue queue(context, device, 0, &code);
  require_opencl(code, "clCreateCommandQueue");

  Library library = Library::open(
      context, device, profile == "-" ? ProfileSource::automatic() : ProfileSource::file(profile));
  std::printf("profile: %s\n", library.profile_origin().c_str());

  constexpr std::size_t m = 37;
  constexpr std::size_t n = 53;
  constexpr std::size_t k = 29;
  // Row-major: A is m rows of k, B is k rows of n, C is m rows of n, each with a gap after every row.
  HostMatrix a(m, k + 3, 1);
  HostMatrix b(k, n + 5, 2);
  HostMatrix c(m, n + 2, 3);
  const bool first = multiply_and_compare(
      library, context, queue, {.m = m, .n = n, .k = k, .alpha = 1.5f, .beta = 0.5f}, a, b, c);

  // Column-major, with A as its transpose: A is m columns of k, B is n columns of k, C is n columns of m.
  HostMatrix a2(m, k + 1, 4);
  HostMatrix b2(n, k + 2, 5);
  HostMatrix c2(n, m + 3, 6);
  std::fill(c2.values.begin(), c2.values.end(), std::nanf(""));  // beta is 0: C is not read
  const bool second = multiply_and_compare(library, context, queue,
                                           {.m = m,
                                            .n = n,
                                            .k = k,
                                            .alpha = -2.0f,
                                            .trans_a = Transpose::kYes,
                                            .order = Order::kColumnMajor},
                                           a2, b2, c2);
  return first && second;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 3) throw std::invalid_argument("usage: sgemm_cpp [PROFILE|-] [DEVICE]");
    const bool passed = run(argc > 1 ? argv[1] : "-", argc > 2 ? std::stoul(argv[2]) : 0);
    std::puts(passed ? "PASS" : "FAIL");
    return passed ? 0 : 1;
  } catch (const tilewright::Error& error) {
    std::fprintf(stderr, "%s: %s\nFAIL\n", tw_status_name(error.status()), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\nFAIL\n", error.what());
  }
  return 1;
}
