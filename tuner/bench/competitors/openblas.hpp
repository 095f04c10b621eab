// Calls the OpenBLAS that is installed on this machine.
#pragma once

#include <string>

namespace tilewright {

// The functions of OpenBLAS that are used. Integers have 32 bits in libopenblas.so.0.
struct OpenBlas {
  template <class Element>
  using Gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, Element alpha,
                    const Element* a, int lda, const Element* b, int ldb, Element beta, Element* c,
                    int ldc);
  // For complex numbers. Scalars and matrices are passed by address.
  using ComplexGemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k,
                           const void* alpha, const void* a, int lda, const void* b, int ldb,
                           const void* beta, void* c, int ldc);
  using Sgemv = void(int order, int transpose, int m, int n, float alpha, const float* a, int lda,
                     const float* x, int incx, float beta, float* y, int incy);
  static constexpr int kRowMajor = 101;
  static constexpr int kNoTranspose = 111;
  static constexpr int kTranspose = 112;

  // Why the library cannot be used, and what to install. If it is "", no function is null.
  std::string missing;
  Gemm<float>* sgemm = nullptr;
  Gemm<double>* dgemm = nullptr;
  ComplexGemm* cgemm = nullptr;
  ComplexGemm* zgemm = nullptr;
  Sgemv* sgemv = nullptr;
  char* (*config)() = nullptr;
  char* (*core_name)() = nullptr;
  int (*threads)() = nullptr;
};

// Returns the functions. The first call loads the library.
const OpenBlas& openblas();

// Returns version, kernels and number of threads. The library must not be missing.
std::string openblas_details();

}  // namespace tilewright
