#include <stdio.h>

#include "cases.h"

enum { kRow = 101, kColumn = 102, kNo = 111, kYes = 112, kConjugate = 113, kNumParts = 8192 };
enum { kNoDoublePrecision = -2044 }; /* CLBlast's status */

/* B = alpha op(A), A of m x n. */
struct copy {
  char type;
  int layout, trans;
  size_t m, n, gap, offset;
  const double* alpha;
};

static size_t parts(char type) {
  return type == 'C' || type == 'Z' ? 2 : 1;
}

static size_t part_bytes(char type) {
  return type == 'D' || type == 'Z' ? sizeof(double) : sizeof(float);
}

/* A buffer with `count` elements, whose parts are small whole numbers: products are exact. */
static cl_mem filled(cl_context context, char type, double* values, size_t count, unsigned seed) {
  static float floats[kNumParts];
  const size_t num_parts = count * parts(type);
  for (size_t i = 0; i < num_parts; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (double)(seed >> 24) - 128.0;
    floats[i] = (float)values[i];
  }
  void* const data = part_bytes(type) == sizeof(double) ? (void*)values : (void*)floats;
  return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                        num_parts * part_bytes(type), data, NULL);
}

static int read_back(cl_command_queue queue, char type, cl_mem buffer, double* values, size_t count,
                     const cl_event* event) {
  static float floats[kNumParts];
  const size_t num_parts = count * parts(type);
  const int is_double = part_bytes(type) == sizeof(double);
  if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, num_parts * part_bytes(type),
                          is_double ? (void*)values : (void*)floats, 1, event,
                          NULL) != CL_SUCCESS) {
    return 0;
  }
  for (size_t i = 0; i < num_parts && !is_double; ++i) values[i] = (double)floats[i];
  return 1;
}

/* Writes alpha op(A) to its place in B. */
static void expect(const struct copy* x, size_t lda, size_t ldb, const double* a, double* b) {
  const size_t lines = x->layout == kRow ? x->m : x->n, length = x->layout == kRow ? x->n : x->m;
  for (size_t i = 0; i < lines; ++i) {
    for (size_t j = 0; j < length; ++j) {
      const size_t from = x->offset + i * lda + j;
      const size_t to = x->offset + (x->trans == kNo ? i * ldb + j : j * ldb + i);
      if (parts(x->type) == 1) {
        b[to] = x->alpha[0] * a[from];
        continue;
      }
      const double re = a[2 * from], im = (x->trans == kConjugate ? -1.0 : 1.0) * a[2 * from + 1];
      b[2 * to] = x->alpha[0] * re - x->alpha[1] * im;
      b[2 * to + 1] = x->alpha[0] * im + x->alpha[1] * re;
    }
  }
}

/* Compares values: 0 and -0 are the same. */
static int are_equal(const double* x, const double* y, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (x[i] != y[i]) return 0;
  }
  return 1;
}

static int has_doubles(cl_command_queue queue) {
  cl_device_id device = NULL;
  cl_device_fp_config config = 0;
  clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, NULL);
  clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(config), &config, NULL);
  return config != 0;
}

static int run_copy(const struct interface* blas, cl_context context, cl_command_queue queue,
                    const struct copy* x) {
  static double a[kNumParts], b[kNumParts], got[kNumParts];
  const size_t lines = x->layout == kRow ? x->m : x->n, length = x->layout == kRow ? x->n : x->m;
  const size_t b_lines = x->trans == kNo ? lines : length;
  const size_t b_length = x->trans == kNo ? length : lines;
  const size_t lda = length + x->gap, ldb = b_length + 2 * x->gap;
  /* The buffers end with the last elements. */
  const size_t count_a = x->offset + (lines - 1) * lda + length;
  const size_t count_b = x->offset + (b_lines - 1) * ldb + b_length;
  cl_mem buffer_a = filled(context, x->type, a, count_a, 1);
  cl_mem buffer_b = filled(context, x->type, b, count_b, 2);
  cl_event event = NULL;
  const int status = blas->omatcopy(x->type, x->layout, x->trans, x->m, x->n, x->alpha, buffer_a,
                                    x->offset, lda, buffer_b, x->offset, ldb, &queue, &event);
  int right = status == 0 && event != NULL;
  if (right) {
    expect(x, lda, ldb, a, b);
    right = read_back(queue, x->type, buffer_b, got, count_b, &event) &&
            are_equal(got, b, count_b * parts(x->type));
    clReleaseEvent(event);
  } else if (part_bytes(x->type) == sizeof(double) && !has_doubles(queue)) {
    right = status == kNoDoublePrecision && event == NULL;
  }
  printf("%comatcopy layout %d transpose %d, %zux%zu gap %zu offset %zu alpha %g %g: %d %s\n",
         x->type, x->layout, x->trans, x->m, x->n, x->gap, x->offset, x->alpha[0], x->alpha[1],
         status, right ? "right" : "WRONG");
  clReleaseMemObject(buffer_a);
  clReleaseMemObject(buffer_b);
  return !right;
}

/* Of a 2 x 2 matrix and its copy, in buffers of 4 elements. */
static void run_bad_copies(const struct interface* blas, cl_command_queue queue, cl_mem four) {
  static const double kOne[] = {1.0, 0.0};
  static const struct {
    const char* what;
    size_t m, n, lda, ldb, offset_a, offset_b;
    int null_operand;
  } kBad[] = {
      {"nothing", 2, 2, 2, 2, 0, 0, 0},
      {"m is 0", 0, 2, 2, 2, 0, 0, 0},
      {"n is 0", 2, 0, 2, 2, 0, 0, 0},
      {"lda", 2, 2, 1, 2, 0, 0, 0},
      {"ldb", 2, 2, 2, 1, 0, 0, 0},
      {"A is short by its offset", 2, 2, 2, 2, 1, 0, 0},
      {"B is short by its offset", 2, 2, 2, 2, 0, 1, 0},
      {"A is short by lda", 2, 2, 3, 2, 0, 0, 0},
      {"B is short by ldb", 2, 2, 2, 3, 0, 0, 0},
      {"A is null", 2, 2, 2, 2, 0, 0, 'A'},
      {"B is null", 2, 2, 2, 2, 0, 0, 'B'},
      {"A is short, ldb", 2, 2, 2, 1, 1, 0, 0},
      {"B is short, A is null", 2, 2, 2, 2, 0, 1, 'A'},
      {"wide, lda", 1, 4, 3, 4, 0, 0, 0},
      {"wide, ldb for a transpose", 1, 4, 4, 0, 0, 0, 0},
  };
  for (size_t i = 0; i < 2 * sizeof(kBad) / sizeof(*kBad); ++i) {
    const int trans = i % 2 == 0 ? kNo : kYes, operand = kBad[i / 2].null_operand;
    const int status = blas->omatcopy('S', kRow, trans, kBad[i / 2].m, kBad[i / 2].n, kOne,
                                      operand == 'A' ? NULL : four, kBad[i / 2].offset_a,
                                      kBad[i / 2].lda, operand == 'B' ? NULL : four,
                                      kBad[i / 2].offset_b, kBad[i / 2].ldb, &queue, NULL);
    printf("bad omatcopy: %s, transpose %d: %d\n", kBad[i / 2].what, trans, status);
  }
}

int run_copy_cases(const struct interface* blas, cl_context context, cl_command_queue queue) {
  static const size_t kSizes[][2] = {{1, 1}, {7, 7}, {1, 40}, {40, 1}, {33, 50}, {32, 64}};
  static const double kAlphas[][2] = {{1.0, 0.0}, {-2.5, 0.0}, {1.5, -2.0}};
  int wrong = 0;
  for (size_t i = 0; i < 4 * 2 * 3 * 6 * 2 * 3; ++i) {
    struct copy x;
    size_t rest = i;
    x.type = "SDCZ"[rest % 4];
    rest /= 4;
    x.layout = rest % 2 == 0 ? kRow : kColumn;
    rest /= 2;
    x.trans = kNo + (int)(rest % 3);
    rest /= 3;
    x.m = kSizes[rest % 6][0];
    x.n = kSizes[rest % 6][1];
    rest /= 6;
    x.gap = rest % 2 * 5;
    x.offset = rest % 2 * 10;
    rest /= 2;
    x.alpha = kAlphas[rest];
    wrong |= run_copy(blas, context, queue, &x);
  }
  cl_mem four = clCreateBuffer(context, CL_MEM_READ_WRITE, 4 * sizeof(float), NULL, NULL);
  run_bad_copies(blas, queue, four);
  clFinish(queue);
  clReleaseMemObject(four);
  return wrong;
}
