#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cases.h"

enum { kNumElements = 4096 };

/* y = alpha op(A) x + beta y, A of m x n. */
struct gemv {
  int layout, trans;
  size_t m, n;
  size_t gap, offset, incx, incy;
  float alpha, beta;
};

static cl_mem filled(cl_context context, float* data, size_t elements, unsigned seed) {
  for (size_t i = 0; i < elements; ++i) {
    seed = seed * 1664525u + 1013904223u;
    data[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
  return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, elements * sizeof(float),
                        data, NULL);
}

/* Is y right, and what lies between its elements untouched? */
static int gemv_is_right(const struct gemv* x, size_t lda, const float* a, const float* in,
                         const float* before, float* got, size_t elements) {
  const int transposed = x->trans != kNo;
  const size_t rows = transposed ? x->n : x->m, columns = transposed ? x->m : x->n;
  int right = 1;
  for (size_t i = 0; i < rows; ++i) {
    float* const y = &got[x->offset + i * x->incy];
    const double old = before[x->offset + i * x->incy];
    double sum = x->beta * old, magnitude = fabs(x->beta * old);
    for (size_t p = 0; p < columns; ++p) {
      const size_t row = transposed ? p : i, column = transposed ? i : p;
      const size_t at = x->layout == kRow ? row * lda + column : column * lda + row;
      const double term = (double)x->alpha * a[x->offset + at] * in[x->offset + p * x->incx];
      sum += term;
      magnitude += fabs(term);
    }
    right = right && fabs(*y - sum) <= (double)(columns + 8) * ldexp(magnitude, -23) + 1e-30;
    *y = before[x->offset + i * x->incy];
  }
  return right && memcmp(got, before, elements * sizeof(float)) == 0;
}

static int run_gemv(const struct interface* blas, cl_context context, cl_command_queue queue,
                    const struct gemv* x) {
  static float a[kNumElements], in[kNumElements], before[kNumElements], got[kNumElements];
  const size_t lines = x->layout == kRow ? x->m : x->n;
  const size_t length = x->layout == kRow ? x->n : x->m;
  const size_t lda = length + x->gap;
  const size_t long_x = x->trans == kNo ? x->n : x->m, long_y = x->trans == kNo ? x->m : x->n;
  /* The buffers end with the last elements. */
  const size_t elements = x->offset + (long_y - 1) * x->incy + 1;
  cl_mem buffer_a = filled(context, a, x->offset + (lines - 1) * lda + length, 1);
  cl_mem buffer_x = filled(context, in, x->offset + (long_x - 1) * x->incx + 1, 2);
  cl_mem buffer_y = filled(context, before, elements, 3);
  cl_event event = NULL;
  const int status =
      blas->sgemv(x->layout, x->trans, x->m, x->n, x->alpha, buffer_a, x->offset, lda, buffer_x,
                  x->offset, x->incx, x->beta, buffer_y, x->offset, x->incy, &queue, &event);
  int right = status == 0 && event != NULL;
  if (right) {
    right = clEnqueueReadBuffer(queue, buffer_y, CL_TRUE, 0, elements * sizeof(float), got, 1,
                                &event, NULL) == CL_SUCCESS &&
            gemv_is_right(x, lda, a, in, before, got, elements);
    clReleaseEvent(event);
  }
  printf(
      "gemv layout %d transpose %d, %zux%zu gap %zu offset %zu increments %zu %zu alpha %g "
      "beta %g: %d %s\n",
      x->layout, x->trans, x->m, x->n, x->gap, x->offset, x->incx, x->incy, (double)x->alpha,
      (double)x->beta, status, right ? "right" : "WRONG");
  clReleaseMemObject(buffer_a);
  clReleaseMemObject(buffer_x);
  clReleaseMemObject(buffer_y);
  return !right;
}

/* Of a 2 x 2 matrix and its vectors, in buffers of 4 elements. */
static void run_bad_gemv(const struct interface* blas, cl_command_queue queue, cl_mem four) {
  static const struct {
    const char* what;
    size_t m, n, lda, incx, incy, offset_a, offset_x, offset_y;
    int null_operand;
  } kBadGemv[] = {
      {"nothing", 2, 2, 2, 1, 1, 0, 0, 0, 0},
      {"m is 0", 0, 2, 2, 1, 1, 0, 0, 0, 0},
      {"n is 0", 2, 0, 2, 1, 1, 0, 0, 0, 0},
      {"lda", 2, 2, 1, 1, 1, 0, 0, 0, 0},
      {"incx", 2, 2, 2, 0, 1, 0, 0, 0, 0},
      {"incy", 2, 2, 2, 1, 0, 0, 0, 0, 0},
      {"A is short", 2, 2, 2, 1, 1, 1, 0, 0, 0},
      {"x is short by its offset", 2, 2, 2, 1, 1, 0, 3, 0, 0},
      {"y is short by its offset", 2, 2, 2, 1, 1, 0, 0, 3, 0},
      {"x is short by incx", 2, 2, 2, 4, 1, 0, 0, 0, 0},
      {"y is short by incy", 2, 2, 2, 1, 4, 0, 0, 0, 0},
      {"A is null", 2, 2, 2, 1, 1, 0, 0, 0, 'A'},
      {"x is null", 2, 2, 2, 1, 1, 0, 0, 0, 'x'},
      {"y is null", 2, 2, 2, 1, 1, 0, 0, 0, 'y'},
      {"lda, incx", 2, 2, 1, 0, 1, 0, 0, 0, 0},
      {"A is short, incx", 2, 2, 2, 0, 1, 1, 0, 0, 0},
      {"x is short, incy", 2, 2, 2, 1, 0, 0, 3, 0, 0},
      {"y is short, x is null", 2, 2, 2, 1, 1, 0, 0, 3, 'x'},
  };
  for (size_t i = 0; i < sizeof(kBadGemv) / sizeof(*kBadGemv); ++i) {
    const int operand = kBadGemv[i].null_operand;
    const int status =
        blas->sgemv(kRow, kNo, kBadGemv[i].m, kBadGemv[i].n, 1.0f, operand == 'A' ? NULL : four,
                    kBadGemv[i].offset_a, kBadGemv[i].lda, operand == 'x' ? NULL : four,
                    kBadGemv[i].offset_x, kBadGemv[i].incx, 1.0f, operand == 'y' ? NULL : four,
                    kBadGemv[i].offset_y, kBadGemv[i].incy, &queue, NULL);
    printf("bad gemv: %s: %d\n", kBadGemv[i].what, status);
  }
}

int run_gemv_cases(const struct interface* blas, cl_context context, cl_command_queue queue) {
  static const size_t kSizes[][2] = {{1, 1}, {7, 7}, {1, 40}, {40, 1}, {33, 50}};
  static const float kScalars[][2] = {{1.0f, 0.0f}, {0.0f, 3.14f}, {3.14f, 1.0f}};
  int wrong = 0;
  for (size_t i = 0; i < 2 * 3 * 5 * 2 * 3; ++i) {
    struct gemv x;
    size_t rest = i;
    x.layout = rest % 2 == 0 ? kRow : kColumn;
    rest /= 2;
    x.trans = kNo + (int)(rest % 3);
    rest /= 3;
    x.m = kSizes[rest % 5][0];
    x.n = kSizes[rest % 5][1];
    rest /= 5;
    x.gap = rest % 2 * 5;
    x.offset = rest % 2 * 10;
    x.incx = 1 + rest % 2;
    x.incy = 1 + rest % 2 * 2;
    rest /= 2;
    x.alpha = kScalars[rest][0];
    x.beta = kScalars[rest][1];
    wrong |= run_gemv(blas, context, queue, &x);
  }
  cl_mem four = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * sizeof(float), NULL, NULL);
  run_bad_gemv(blas, queue, four);
  clFinish(queue);
  clReleaseMemObject(four);
  return wrong;
}
