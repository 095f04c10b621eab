// Calls the OpenBLAS that is installed on this machine.
#pragma once

#include <string>

#include "runtime/call/cblas_library.hpp"

namespace tilewright {

// The functions of OpenBLAS that are used. Integers have 32 bits in libopenblas.so.0.
struct OpenBlas : CblasLibrary {
  using Sgemv = void(int order, int transpose, int m, int n, float alpha, const float* a, int lda,
                     const float* x, int incx, float beta, float* y, int incy);
  static constexpr int kRowMajor = 101;
  static constexpr int kNoTranspose = 111;
  static constexpr int kTranspose = 112;

  // Why the library cannot be used, and what to install. If it is "", no function is null.
  std::string missing;
  Sgemv* sgemv = nullptr;
  char* (*config)() = nullptr;
  char* (*core_name)() = nullptr;
};

// Returns the functions. The first call loads the library, because OpenBLAS starts threads and
// allocates memory as soon as it is loaded, and waits for its threads at exit.
const OpenBlas& openblas();

// Returns version, kernels and number of threads. The library must not be missing.
std::string openblas_details();

}  // namespace tilewright
