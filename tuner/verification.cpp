#include "tuner/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "runtime/opencl_error.hpp"
#include "tuner/shapes.hpp"

namespace tilewright {
namespace {

// m, n, k by class: see verification_cases().
constexpr GemmShape kAwkwardShapes[] = {
    {1, 1, 1},       // least
    {5, 3, 7},       // below every vector
    {17, 19, 13},    // primes
    {33, 65, 31},    // powers of two, one more and one less
    {130, 10, 5},    // tall, narrow, shallow k
    {6, 131, 67},    // flat, wide
    {4, 4, 301},     // deep k
    {70, 100, 128},  // k a multiple of every tile_k
    {9, 20, 0},      // no k: C = beta C
};

constexpr std::size_t kOffset =
    67;                          // elements before the matrix: more than the widest vector, and odd
constexpr std::size_t kGap = 5;  // elements between rows
constexpr std::size_t kGuard = 67;  // elements behind the matrix: more than the widest vector

HostMatrix random_matrix(std::int64_t rows, std::int64_t columns, std::mt19937_64& random) {
  HostMatrix matrix;
  matrix.offset = kOffset;
  matrix.ld = static_cast<std::size_t>(columns) + kGap;
  matrix.data.assign(kOffset + static_cast<std::size_t>(rows) * matrix.ld + kGuard,
                     std::numeric_limits<float>::quiet_NaN());
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      matrix.data[matrix.offset + static_cast<std::size_t>(i) * matrix.ld +
                  static_cast<std::size_t>(j)] = uniform(random);
    }
  }
  return matrix;
}

VerificationCase make_case(Op op, const GemmShape& shape, float alpha, float beta,
                           std::mt19937_64& random) {
  VerificationCase test{op, shape, alpha, beta, {}, {}, {}, {}};
  const bool at = layout_a_of(op) == Layout::kC;
  const bool bt = layout_b_of(op) == Layout::kC;
  test.a = random_matrix(at ? shape.k : shape.m, at ? shape.m : shape.k, random);
  test.b = random_matrix(bt ? shape.n : shape.k, bt ? shape.k : shape.n, random);
  test.c = random_matrix(shape.m, shape.n, random);
  if (beta == 0.0f) {
    std::fill(test.c.data.begin(), test.c.data.end(), std::numeric_limits<float>::quiet_NaN());
  }
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      test.expected.push_back(host_product(op, shape, alpha, test.a, test.b, beta, test.c, i, j));
    }
  }
  return test;
}

Matrix upload(const cl::Context& context, const HostMatrix& host) {
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    host.data.size() * sizeof(float), const_cast<float*>(host.data.data()), &code);
  check_opencl(code, "clCreateBuffer (verification)");
  return {buffer, host.offset, host.ld};
}

Rejection wrong(const VerificationCase& test, const std::string& what) {
  return {Stage::kWrong, fmt::format("{} {} alpha={} beta={}: {}", to_text(test.op),
                                     to_text(test.shape), test.alpha, test.beta, what)};
}

// Compares the whole buffer: elements within their bound, everything else as it was.
Verified compare(const VerificationCase& test, const std::vector<float>& got) {
  std::vector<char> is_element(got.size(), 0);
  double worst = 0.0;
  for (std::int64_t i = 0; i < test.shape.m; ++i) {
    for (std::int64_t j = 0; j < test.shape.n; ++j) {
      const std::size_t at =
          test.c.offset + static_cast<std::size_t>(i) * test.c.ld + static_cast<std::size_t>(j);
      is_element[at] = 1;
      const ProductElement& want = test.expected[static_cast<std::size_t>(i * test.shape.n + j)];
      const double share = std::abs(static_cast<double>(got[at]) - want.value) / want.bound;
      if (!(share < 1.0)) {
        return wrong(test, fmt::format("C({}, {}) is {} instead of {} +- {}", i, j, got[at],
                                       want.value, want.bound));
      }
      worst = std::max(worst, share);
    }
  }
  for (std::size_t at = 0; at < got.size(); ++at) {
    if (!is_element[at] && std::memcmp(&got[at], &test.c.data[at], sizeof(float)) != 0) {
      return wrong(test,
                   fmt::format("element {} of C's buffer is not part of C and was written", at));
    }
  }
  return worst;
}

}  // namespace

std::vector<VerificationCase> verification_cases(Op op, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<VerificationCase> cases;
  for (const GemmShape& shape : kAwkwardShapes) {
    cases.push_back(make_case(op, shape, 1.25f, 0.0f, random));
    cases.push_back(make_case(op, shape, -1.5f, 0.75f, random));
  }
  return cases;
}

Verified verify(const cl::Context& context, const cl::CommandQueue& queue,
                const VerificationCase& test, const Multiply& multiply) {
  const Matrix a = upload(context, test.a);
  const Matrix b = upload(context, test.b);
  const Matrix c = upload(context, test.c);
  const Launched launched = multiply(test, a, b, c);
  if (const auto* rejection = std::get_if<Rejection>(&launched)) return *rejection;
  std::vector<float> got(test.c.data.size());
  const std::vector<cl::Event> wait_list{std::get<cl::Event>(launched)};
  const cl_int code = queue.enqueueReadBuffer(c.buffer, CL_TRUE, 0, got.size() * sizeof(float),
                                              got.data(), &wait_list);
  if (code != CL_SUCCESS) {
    return Rejection{Stage::kLaunch,
                     fmt::format("{} {} failed while running: {}", to_text(test.op),
                                 to_text(test.shape), opencl_code_text(code)),
                     code};
  }
  return compare(test, got);
}

Verified verify_kernel(const Executor& executor, const cl::CommandQueue& queue,
                       LoadedKernel& kernel, const std::vector<VerificationCase>& cases) {
  double worst = 0.0;
  for (const VerificationCase& test : cases) {
    const Verified verified =
        verify(executor.context(), queue, test,
               [&](const VerificationCase& t, const Matrix& a, const Matrix& b, const Matrix& c) {
                 const GemmProblem problem{t.op,
                                           t.shape,
                                           t.alpha,
                                           t.beta,
                                           {a.buffer(), a.offset, a.ld},
                                           {b.buffer(), b.offset, b.ld},
                                           {c.buffer(), c.offset, c.ld}};
                 return executor.gemm(queue, kernel, problem, {});
               });
    if (std::holds_alternative<Rejection>(verified)) return verified;
    worst = std::max(worst, std::get<double>(verified));
  }
  return worst;
}

}  // namespace tilewright
