// Calls OpenBLAS, and measures it in turns with others.
#pragma once

#include <functional>
#include <string>

namespace tilewright {

// Its functions, as far as they are used. Whole numbers have 32 bits in the library of that name.
struct OpenBlas {
  template <class Element>
  using Gemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, Element alpha,
                    const Element* a, int lda, const Element* b, int ldb, Element beta, Element* c,
                    int ldc);
  // Of complex numbers, whose scalars and matrices are told by their addresses.
  using ComplexGemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k,
                           const void* alpha, const void* a, int lda, const void* b, int ldb,
                           const void* beta, void* c, int ldc);
  using Sgemv = void(int order, int transpose, int m, int n, float alpha, const float* a, int lda,
                     const float* x, int incx, float beta, float* y, int incy);
  static constexpr int kRowMajor = 101;
  static constexpr int kNoTranspose = 111;
  static constexpr int kTranspose = 112;

  std::string missing;  // why it is not there, and what to install; "": it is, with its functions
  Gemm<float>* sgemm = nullptr;
  Gemm<double>* dgemm = nullptr;
  ComplexGemm* cgemm = nullptr;
  ComplexGemm* zgemm = nullptr;
  Sgemv* sgemv = nullptr;
  char* (*config)() = nullptr;
  char* (*core_name)() = nullptr;
  int (*threads)() = nullptr;
};

// Loaded by the first call.
const OpenBlas& openblas();

// What it is and how it is set up. It must not be missing.
std::string openblas_details();

// Wall time in seconds of so many calls, which use OpenBLAS. Its threads spin for some 25 ms after
// a call and then sleep. Its samples begin while they spin, and nobody else's do: on a CPU those
// would have half of the cores.
double openblas_seconds(const std::function<void()>& call, int calls);

// A competitor whose runs call OpenBLAS.
template <class Base>
class OpenBlasCompetitor : public Base {
 public:
  std::string details() const override { return openblas_details(); }
  double time_runs(int runs) override {
    return openblas_seconds([this] { this->run(); }, runs);
  }
};

}  // namespace tilewright
