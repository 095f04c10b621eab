/* A C program that was written for CLBlast: it knows nothing but CLBlast's header. */
#include "cases.h"

#include <clblast_c.h>

static int sgemm(int layout, int ta, int tb, size_t m, size_t n, size_t k, float alpha, cl_mem a,
                 size_t offset_a, size_t lda, cl_mem b, size_t offset_b, size_t ldb, float beta,
                 cl_mem c, size_t offset_c, size_t ldc, cl_command_queue* queue, cl_event* event) {
  return CLBlastSgemm((CLBlastLayout)layout, (CLBlastTranspose)ta, (CLBlastTranspose)tb, m, n, k,
                      alpha, a, offset_a, lda, b, offset_b, ldb, beta, c, offset_c, ldc, queue,
                      event);
}

static int strided(int layout, int ta, int tb, size_t m, size_t n, size_t k, float alpha, cl_mem a,
                   size_t offset_a, size_t lda, size_t stride_a, cl_mem b, size_t offset_b,
                   size_t ldb, size_t stride_b, float beta, cl_mem c, size_t offset_c, size_t ldc,
                   size_t stride_c, size_t count, cl_command_queue* queue, cl_event* event) {
  return CLBlastSgemmStridedBatched((CLBlastLayout)layout, (CLBlastTranspose)ta,
                                    (CLBlastTranspose)tb, m, n, k, alpha, a, offset_a, lda,
                                    stride_a, b, offset_b, ldb, stride_b, beta, c, offset_c, ldc,
                                    stride_c, count, queue, event);
}

static int batched(int layout, int ta, int tb, size_t m, size_t n, size_t k, const float* alphas,
                   cl_mem a, const size_t* offsets_a, size_t lda, cl_mem b, const size_t* offsets_b,
                   size_t ldb, const float* betas, cl_mem c, const size_t* offsets_c, size_t ldc,
                   size_t count, cl_command_queue* queue, cl_event* event) {
  return CLBlastSgemmBatched((CLBlastLayout)layout, (CLBlastTranspose)ta, (CLBlastTranspose)tb, m,
                             n, k, alphas, a, offsets_a, lda, b, offsets_b, ldb, betas, c,
                             offsets_c, ldc, count, queue, event);
}

static int sgemv(int layout, int trans, size_t m, size_t n, float alpha, cl_mem a, size_t offset_a,
                 size_t lda, cl_mem x, size_t offset_x, size_t incx, float beta, cl_mem y,
                 size_t offset_y, size_t incy, cl_command_queue* queue, cl_event* event) {
  return CLBlastSgemv((CLBlastLayout)layout, (CLBlastTranspose)trans, m, n, alpha, a, offset_a, lda,
                      x, offset_x, incx, beta, y, offset_y, incy, queue, event);
}

static int omatcopy(char type, int layout, int trans, size_t m, size_t n, const double alpha[2],
                    cl_mem a, size_t offset_a, size_t lda, cl_mem b, size_t offset_b, size_t ldb,
                    cl_command_queue* queue, cl_event* event) {
  const CLBlastLayout order = (CLBlastLayout)layout;
  const CLBlastTranspose op = (CLBlastTranspose)trans;
  const cl_float2 single = {{(float)alpha[0], (float)alpha[1]}};
  const cl_double2 both = {{alpha[0], alpha[1]}};
  switch (type) {
    case 'S':
      return CLBlastSomatcopy(order, op, m, n, (float)alpha[0], a, offset_a, lda, b, offset_b, ldb,
                              queue, event);
    case 'D':
      return CLBlastDomatcopy(order, op, m, n, alpha[0], a, offset_a, lda, b, offset_b, ldb, queue,
                              event);
    case 'C':
      return CLBlastComatcopy(order, op, m, n, single, a, offset_a, lda, b, offset_b, ldb, queue,
                              event);
    default:
      return CLBlastZomatcopy(order, op, m, n, both, a, offset_a, lda, b, offset_b, ldb, queue,
                              event);
  }
}

static int override_parameters(cl_device_id device, const char* kernel, size_t count,
                               const char** names, const size_t* values) {
  return CLBlastOverrideParameters(device, kernel, CLBlastPrecisionSingle, count, names, values);
}

static int clear_cache(void) {
  return CLBlastClearCache();
}

int main(int argc, char** argv) {
  const struct interface blas = {
      sgemm, strided, batched, sgemv, omatcopy, clear_cache, override_parameters};
  (void)argv;
  return (argc > 1 ? run_passed_on : run_cases)(&blas, (void (*)(void))CLBlastSgemm);
}
