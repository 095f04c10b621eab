// A C++ program that was written for CLBlast. It includes only CLBlast's header.
#include <clblast.h>

#include <complex>
#include <string>
#include <unordered_map>

#include "cases.h"

namespace {

using clblast::Layout;
using clblast::Transpose;

int sgemm(int layout, int ta, int tb, size_t m, size_t n, size_t k, float alpha, cl_mem a,
          size_t offset_a, size_t lda, cl_mem b, size_t offset_b, size_t ldb, float beta, cl_mem c,
          size_t offset_c, size_t ldc, cl_command_queue* queue, cl_event* event) {
  size_t bytes = 1;
  const auto asked =
      clblast::GemmTempBufferSize<float>(Layout{layout}, Transpose{ta}, Transpose{tb}, m, n, k,
                                         offset_a, lda, offset_b, ldb, offset_c, ldc, queue, bytes);
  // Dimensions of 0 are passed on to the function under test.
  if (asked != clblast::StatusCode::kSuccess && m * n * k != 0) return -9999;
  return static_cast<int>(clblast::Gemm<float>(Layout{layout}, Transpose{ta}, Transpose{tb}, m, n,
                                               k, alpha, a, offset_a, lda, b, offset_b, ldb, beta,
                                               c, offset_c, ldc, queue, event));
}

int strided(int layout, int ta, int tb, size_t m, size_t n, size_t k, float alpha, cl_mem a,
            size_t offset_a, size_t lda, size_t stride_a, cl_mem b, size_t offset_b, size_t ldb,
            size_t stride_b, float beta, cl_mem c, size_t offset_c, size_t ldc, size_t stride_c,
            size_t count, cl_command_queue* queue, cl_event* event) {
  return static_cast<int>(clblast::GemmStridedBatched<float>(
      Layout{layout}, Transpose{ta}, Transpose{tb}, m, n, k, alpha, a, offset_a, lda, stride_a, b,
      offset_b, ldb, stride_b, beta, c, offset_c, ldc, stride_c, count, queue, event));
}

int batched(int layout, int ta, int tb, size_t m, size_t n, size_t k, const float* alphas, cl_mem a,
            const size_t* offsets_a, size_t lda, cl_mem b, const size_t* offsets_b, size_t ldb,
            const float* betas, cl_mem c, const size_t* offsets_c, size_t ldc, size_t count,
            cl_command_queue* queue, cl_event* event) {
  return static_cast<int>(clblast::GemmBatched<float>(
      Layout{layout}, Transpose{ta}, Transpose{tb}, m, n, k, alphas, a, offsets_a, lda, b,
      offsets_b, ldb, betas, c, offsets_c, ldc, count, queue, event));
}

int sgemv(int layout, int trans, size_t m, size_t n, float alpha, cl_mem a, size_t offset_a,
          size_t lda, cl_mem x, size_t offset_x, size_t incx, float beta, cl_mem y, size_t offset_y,
          size_t incy, cl_command_queue* queue, cl_event* event) {
  return static_cast<int>(clblast::Gemv<float>(Layout{layout}, Transpose{trans}, m, n, alpha, a,
                                               offset_a, lda, x, offset_x, incx, beta, y, offset_y,
                                               incy, queue, event));
}

int omatcopy(char type, int layout, int trans, size_t m, size_t n, const double alpha[2], cl_mem a,
             size_t offset_a, size_t lda, cl_mem b, size_t offset_b, size_t ldb,
             cl_command_queue* queue, cl_event* event) {
  const auto copy = [&](auto scalar) {
    return static_cast<int>(clblast::Omatcopy<decltype(scalar)>(Layout{layout}, Transpose{trans}, m,
                                                                n, scalar, a, offset_a, lda, b,
                                                                offset_b, ldb, queue, event));
  };
  const auto real = static_cast<float>(alpha[0]);
  switch (type) {
    case 'S':
      return copy(real);
    case 'D':
      return copy(alpha[0]);
    case 'C':
      return copy(std::complex<float>(real, static_cast<float>(alpha[1])));
    default:
      return copy(std::complex<double>(alpha[0], alpha[1]));
  }
}

int override_parameters(cl_device_id device, const char* kernel, size_t count, const char** names,
                        const size_t* values) {
  std::unordered_map<std::string, size_t> parameters;
  for (size_t i = 0; i < count; ++i) parameters[names[i]] = values[i];
  return static_cast<int>(
      clblast::OverrideParameters(device, kernel, clblast::Precision::kSingle, parameters));
}

int clear_cache() {
  return static_cast<int>(clblast::ClearCache());
}

}  // namespace

int main(int argc, char**) {
  const struct interface blas = {
      sgemm, strided, batched, sgemv, omatcopy, clear_cache, override_parameters};
  return (argc > 1 ? run_passed_on : run_cases)(
      &blas, reinterpret_cast<void (*)()>(&clblast::Gemm<float>));
}
