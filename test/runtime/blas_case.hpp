// A call with its data and the check of its result, for tests of the C++ and the C API.
#pragma once

#include <CL/cl_half.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/api/library.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "test_device.hpp"

namespace tilewright {

// An element of a half-precision matrix.
struct Half {
  Half() = default;
  explicit Half(float value) : bits(cl_half_from_float(value, CL_HALF_RTE)) {}
  operator float() const { return cl_half_to_float(bits); }

  cl_half bits = 0;
};

// Properties of an element type for tests.
template <class Element>
struct TraitsOf {
  using Sum = Element;        // type of sums; for complex numbers, of their parts
  using Exact = long double;  // a wider type
  static constexpr ElementType kType =
      std::is_same_v<Element, double> ? ElementType::kDouble : ElementType::kFloat;
  static Element random(std::mt19937& random) {
    return Element(std::uniform_real_distribution<Sum>(-1, 1)(random));
  }
};
template <>
struct TraitsOf<Half> {
  using Sum = float;
  using Exact = long double;
  static constexpr ElementType kType = ElementType::kHalf;
  static Half random(std::mt19937& random) { return Half(TraitsOf<float>::random(random)); }
};
template <class Part>
struct TraitsOf<std::complex<Part>> {
  using Sum = Part;
  using Exact = std::complex<long double>;
  static constexpr ElementType kType =
      std::is_same_v<Part, double> ? ElementType::kComplexDouble : ElementType::kComplexFloat;
  static std::complex<Part> random(std::mt19937& random) {
    const Part real = TraitsOf<Part>::random(random);
    return {real, TraitsOf<Part>::random(random)};
  }
};

inline long double conjugate(long double value) {
  return value;
}
inline std::complex<long double> conjugate(const std::complex<long double>& value) {
  return std::conj(value);
}
// A real scalar, for the C functions.
inline float as_float(const std::complex<double>& scalar) {
  return static_cast<float>(scalar.real());
}
// A scalar in the wider type.
inline void exact_scalar(const std::complex<double>& scalar, long double& exact) {
  exact = scalar.real();
}
inline void exact_scalar(const std::complex<double>& scalar, std::complex<long double>& exact) {
  exact = {scalar.real(), scalar.imag()};
}

// A matrix in host memory as a caller stores it. Everything that is not an element is NaN.
template <class Element>
struct StoredMatrixOf {
  std::size_t lines = 0;   // rows (row-major) or columns (column-major)
  std::size_t length = 0;  // elements per line
  std::size_t offset = 0;
  std::size_t ld = 1;
  std::vector<Element> data;
};
using StoredMatrix = StoredMatrixOf<float>;

template <class Element = float>
StoredMatrixOf<Element> stored_matrix(std::size_t lines, std::size_t length, std::size_t offset,
                                      std::size_t gap, std::mt19937& random) {
  using Sum = typename TraitsOf<Element>::Sum;
  StoredMatrixOf<Element> matrix{lines, length, offset, std::max<std::size_t>(1, length + gap), {}};
  // The buffer ends with the last element, so that reading past it is an error.
  const std::size_t elements = lines == 0 || length == 0 ? 0 : (lines - 1) * matrix.ld + length;
  matrix.data.assign(std::max<std::size_t>(1, offset + elements),
                     Element(std::numeric_limits<Sum>::quiet_NaN()));
  for (std::size_t i = 0; i < lines; ++i) {
    for (std::size_t j = 0; j < length; ++j) {
      matrix.data[offset + i * matrix.ld + j] = TraitsOf<Element>::random(random);
    }
  }
  return matrix;
}

template <class Element>
struct BlasCaseOf {
  using Sum = typename TraitsOf<Element>::Sum;
  using Exact = typename TraitsOf<Element>::Exact;

  GemmCall call;
  StoredMatrixOf<Element> a, b, c;

  BlasCaseOf(const GemmCall& gemm_call, std::size_t offset, std::size_t gap, unsigned seed)
      : call(gemm_call) {
    std::mt19937 random(seed);
    const auto stored = [&](std::size_t rows, std::size_t columns, Transpose trans) {
      const bool rows_are_lines = (call.order == Order::kRowMajor) == (trans == Transpose::kNo);
      return stored_matrix<Element>(rows_are_lines ? rows : columns,
                                    rows_are_lines ? columns : rows, offset, gap, random);
    };
    a = stored(call.m, call.k, call.trans_a);
    b = stored(call.k, call.n, call.trans_b);
    c = stored(call.m, call.n, Transpose::kNo);
    if (call.beta == 0.0) {
      std::fill(c.data.begin(), c.data.end(), Element(std::numeric_limits<Sum>::quiet_NaN()));
    }
  }

  // Element (i, j) of op(X).
  Exact at(const StoredMatrixOf<Element>& x, Transpose trans, std::size_t i, std::size_t j) const {
    if ((call.order == Order::kRowMajor) != (trans == Transpose::kNo)) std::swap(i, j);
    const Exact value(x.data[x.offset + i * x.ld + j]);
    return trans == Transpose::kConjugate ? conjugate(value) : value;
  }

  // Returns the first error in `got`, the whole contents of C's buffer, or "".
  std::string wrong(const std::vector<Element>& got) const {
    std::vector<Element> rest = got;
    Exact alpha;
    Exact beta;
    exact_scalar(call.alpha, alpha);
    exact_scalar(call.beta, beta);
    for (std::size_t i = 0; i < call.m; ++i) {
      for (std::size_t j = 0; j < call.n; ++j) {
        const bool row_major = call.order == Order::kRowMajor;
        const std::size_t place = c.offset + (row_major ? i * c.ld + j : j * c.ld + i);
        Exact sum = 0.0;
        long double magnitude = 0.0;
        for (std::size_t p = 0; call.alpha != 0.0 && p < call.k; ++p) {
          const Exact product = alpha * at(a, call.trans_a, i, p) * at(b, call.trans_b, p, j);
          sum += product;
          magnitude += std::abs(product);
        }
        if (call.beta != 0.0) {
          const Exact added = beta * Exact(c.data[place]);
          sum += added;
          magnitude += std::abs(added);
        }
        // If a long double has only the precision of a double, the host rounds as often as the
        // kernel.
        const bool exact =
            std::numeric_limits<long double>::digits > std::numeric_limits<Sum>::digits;
        // For complex numbers, both parts have twice as many products, and the scalars have four.
        const std::size_t terms = is_complex(call.type) ? 3 * call.k + 16 : call.k + 4;
        const auto roundings = static_cast<long double>(terms * (exact ? 1 : 2));
        long double bound =
            roundings * std::ldexp(magnitude, -std::numeric_limits<Sum>::digits) + 1e-37L;
        // The result is rounded again: to 11 bits, or to a multiple of 2^-24.
        if (std::is_same_v<Element, Half>) {
          bound += std::max(std::ldexp(std::abs(sum) + bound, -11), std::ldexp(1.0L, -25));
        }
        const Exact is(got[place]);
        if (!(std::abs(is - sum) <= bound)) {
          std::ostringstream text;
          text << "C(" << i << ", " << j << ") is " << is << " instead of " << sum;
          return text.str();
        }
        rest[place] = c.data[place];
      }
    }
    const bool untouched =
        std::memcmp(rest.data(), c.data.data(), rest.size() * sizeof(Element)) == 0;
    return untouched ? "" : "something outside of C was written";
  }
};

using BlasCase = BlasCaseOf<float>;

template <class Element>
Matrix upload(const TestDevice& d, const StoredMatrixOf<Element>& matrix) {
  return {
      cl::Buffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                 matrix.data.size() * sizeof(Element), const_cast<Element*>(matrix.data.data())),
      matrix.offset, matrix.ld};
}

template <class Element = float>
std::vector<Element> download(const TestDevice& d, const Matrix& matrix,
                              const std::vector<cl::Event>& after) {
  std::vector<Element> host(matrix.buffer.getInfo<CL_MEM_SIZE>() / sizeof(Element));
  d.queue.enqueueReadBuffer(matrix.buffer, CL_TRUE, 0, host.size() * sizeof(Element), host.data(),
                            &after);
  return host;
}

}  // namespace tilewright
