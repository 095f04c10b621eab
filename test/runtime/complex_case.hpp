// Code that tests of complex products share.
#pragma once

#include <complex>
#include <iterator>

#include "blas_case.hpp"
#include "catch.hpp"
#include "panel_library.hpp"
#include "runtime/device/device_identity.hpp"

namespace tilewright {
using Complex = std::complex<double>;

// Defines each test for both types.
#define COMPLEX_TEST(name)                                                             \
  template <class Element>                                                             \
  void name(const TestDevice& d);                                                      \
  TEST_CASE("complex: " #name) {                                                       \
    const TestDevice d;                                                                \
    name<std::complex<float>>(d);                                                      \
    if (!has_extension(d.device, "cl_khr_fp64")) SKIP_CASE("no cl_khr_fp64: doubles"); \
    name<std::complex<double>>(d);                                                     \
  }                                                                                    \
  template <class Element>                                                             \
  void name(const TestDevice& d)

inline LibraryHandle open_builtin(const TestDevice& d) {
  return Library::open(d.context, d.device, ProfileSource::builtin());
}

inline constexpr Transpose kAllTransposes[] = {Transpose::kNo, Transpose::kYes,
                                               Transpose::kConjugate};
inline constexpr Complex kComplexScalars[][2] = {{1.0, 0.0},
                                                 {-0.5, 2.0},
                                                 {{0.5, -1.5}, 0.0},
                                                 {1.0, {0.0, 1.0}},
                                                 {{0.25, 0.75}, {-1.0, 0.5}},
                                                 {0.0, {0.5, 0.5}},
                                                 {0.0, 3.0}};

// Empty, one, odd, tall, wide, small and large k.
inline constexpr std::size_t kComplexShapes[][3] = {
    {1, 1, 1},   {13, 9, 21}, {2, 70, 33}, {70, 2, 33}, {17, 31, 1},
    {3, 5, 129}, {33, 65, 0}, {1, 64, 64}, {64, 1, 63}, {0, 3, 2}};

// A product of one of these shapes. Scalars and order follow from the number of the call.
template <class Element>
GemmCall complex_call(const std::size_t (&shape)[3], Transpose trans_a, Transpose trans_b,
                      unsigned number) {
  const auto& [alpha, beta] = kComplexScalars[number % std::size(kComplexScalars)];
  GemmCall call{.m = shape[0], .n = shape[1], .k = shape[2], .alpha = alpha, .beta = beta};
  call.trans_a = trans_a;
  call.trans_b = trans_b;
  call.order = number % 2 == 0 ? Order::kRowMajor : Order::kColumnMajor;
  call.type = TraitsOf<Element>::kType;
  return call;
}

}  // namespace tilewright
