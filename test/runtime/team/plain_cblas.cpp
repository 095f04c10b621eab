// A CBLAS of plain loops, so that tests of teams need no installed one.
#include <complex>
#include <cstddef>

namespace {

template <class Element>
Element conjugate(Element value) {
  return value;
}
template <class Real>
std::complex<Real> conjugate(const std::complex<Real>& value) {
  return std::conj(value);
}

// Element (i, j) of op(X).
template <class Element>
Element at(const Element* x, int ld, int order, int transpose, int i, int j) {
  const bool by_rows = (order == 101) == (transpose == 111);
  const Element value = by_rows ? x[static_cast<std::ptrdiff_t>(i) * ld + j]
                                : x[static_cast<std::ptrdiff_t>(j) * ld + i];
  return transpose == 113 ? conjugate(value) : value;
}

template <class Element>
void multiply(int order, int ta, int tb, int m, int n, int k, Element alpha, const Element* a,
              int lda, const Element* b, int ldb, Element beta, Element* c, int ldc) {
  const Element zero(0);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      Element sum = zero;
      for (int p = 0; alpha != zero && p < k; ++p) {
        sum += at(a, lda, order, ta, i, p) * at(b, ldb, order, tb, p, j);
      }
      Element& to = order == 101 ? c[static_cast<std::ptrdiff_t>(i) * ldc + j]
                                 : c[static_cast<std::ptrdiff_t>(j) * ldc + i];
      const Element before = beta == zero ? zero : beta * to;
      to = (alpha == zero ? zero : alpha * sum) + before;
    }
  }
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float* a,
                        int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  multiply(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

EXPORT void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha,
                        const double* a, int lda, const double* b, int ldb, double beta, double* c,
                        int ldc) {
  multiply(order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

#define COMPLEX_GEMM(name, Real)                                                              \
  EXPORT void name(int order, int ta, int tb, int m, int n, int k, const void* alpha,         \
                   const void* a, int lda, const void* b, int ldb, const void* beta, void* c, \
                   int ldc) {                                                                 \
    using Complex = std::complex<Real>;                                                       \
    multiply(order, ta, tb, m, n, k, *static_cast<const Complex*>(alpha),                     \
             static_cast<const Complex*>(a), lda, static_cast<const Complex*>(b), ldb,        \
             *static_cast<const Complex*>(beta), static_cast<Complex*>(c), ldc);              \
  }

// As OpenBLAS reports its number of threads.
#ifdef TILEWRIGHT_CBLAS_THREADS
EXPORT int openblas_get_num_threads() {
  return TILEWRIGHT_CBLAS_THREADS;
}
#endif

COMPLEX_GEMM(cblas_cgemm, float)
COMPLEX_GEMM(cblas_zgemm, double)
