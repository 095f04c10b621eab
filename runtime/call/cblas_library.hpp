// The functions of a CBLAS library that is loaded at run time.
#pragma once

#include "profiles/base/shared_library.hpp"

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

// Finds the functions. Those of products that the library lacks are in its failure(). The number of
// threads is known for OpenBLAS, MKL and BLIS.
CblasLibrary find_cblas(SharedLibrary& library);

}  // namespace tilewright
