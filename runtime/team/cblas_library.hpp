// Loads the CBLAS functions of a shared library at run time.
#pragma once

#include <string>

namespace tilewright {

// The products of CBLAS with 32-bit integers. A function that the library lacks is null.
struct CblasLibrary {
  template <class Real>
  using Gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, Real alpha,
                    const Real* a, int lda, const Real* b, int ldb, Real beta, Real* c, int ldc);
  // For complex numbers. Scalars and matrices are passed by address.
  using ComplexGemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k,
                           const void* alpha, const void* a, int lda, const void* b, int ldb,
                           const void* beta, void* c, int ldc);

  Gemm<float>* sgemm = nullptr;
  Gemm<double>* dgemm = nullptr;
  ComplexGemm* cgemm = nullptr;
  ComplexGemm* zgemm = nullptr;
  int num_threads = 0;  // that its products may use when it is loaded; 0: unknown
};

// `file`: argument of dlopen(); "": the functions that the process has already loaded. The library
// is never unloaded, because its threads may still run. Throws Error TW_INVALID_VALUE if it cannot
// be loaded or has none of the functions. The number of threads is known for OpenBLAS, MKL and
// BLIS.
CblasLibrary load_cblas(const std::string& file);

}  // namespace tilewright
