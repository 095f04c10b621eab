/* How does a C program multiply matrices with tilewright?
 *
 *   sgemm_c [PROFILE|-] [DEVICE]
 *
 * PROFILE is a profile file; without it, or with "-", tilewright finds one itself. DEVICE is a
 * number as `tilewright devices` prints it (default 0). The program computes C = alpha A B + beta C
 * for small matrices with gaps between their rows, compares C with a plain loop, and prints PASS or
 * FAIL; its exit code is 0 or 1.
 */
#define CL_TARGET_OPENCL_VERSION 120 /* what this program uses of OpenCL */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/tilewright.h>

/* A is M x K, B is K x N, C is M x N; row-major, rows LDA, LDB, LDC elements apart. */
enum { M = 37, N = 53, K = 29, LDA = K + 3, LDB = N + 5, LDC = N + 2 };

static const float alpha = 1.5f;
static const float beta = 0.5f;

/* All that must be freed; what was never made is NULL. */
struct state {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem a, b, c;
  tw_library* library;
};

static int opencl_ok(cl_int code, const char* call) {
  if (code != CL_SUCCESS) fprintf(stderr, "%s failed with OpenCL code %d\n", call, (int)code);
  return code == CL_SUCCESS;
}

static int tilewright_ok(tw_status status, const char* call) {
  if (status != TW_SUCCESS)
    fprintf(stderr, "%s: %s: %s\n", call, tw_status_name(status), tw_last_error());
  return status == TW_SUCCESS;
}

/* The device with that number, counted over all platforms; NULL if there is none. */
static cl_device_id find_device(unsigned long number) {
  cl_platform_id platforms[16];
  cl_device_id devices[16];
  cl_uint num_platforms = 0;
  if (clGetPlatformIDs(16, platforms, &num_platforms) != CL_SUCCESS) return NULL;
  for (cl_uint p = 0; p < num_platforms && p < 16; ++p) {
    cl_uint num_devices = 0;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 16, devices, &num_devices) != CL_SUCCESS)
      continue;
    if (number < num_devices && number < 16) return devices[number];
    number -= num_devices;
  }
  return NULL;
}

/* Reproducible values between -1 and 1. */
static void fill(float* values, size_t count, unsigned seed) {
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

/* The number of elements of `result` that are not what they should be: the product within the
 * rounding error, and between the rows what was there before. */
static int count_wrong(const float* a, const float* b, const float* before, const float* result) {
  int wrong = 0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      double sum = 0.0;
      for (int l = 0; l < K; ++l) sum += (double)a[i * LDA + l] * b[l * LDB + j];
      const double expected = alpha * sum + beta * before[i * LDC + j];
      if (!(fabs(result[i * LDC + j] - expected) <= 1e-4)) ++wrong; /* a NaN is wrong, too */
    }
    for (int j = N; j < LDC; ++j) wrong += result[i * LDC + j] != before[i * LDC + j];
  }
  return wrong;
}

/* A context with a queue and a library on the device. */
static int set_up(struct state* s, const char* profile) {
  cl_int code = CL_SUCCESS;
  s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &code);
  if (!opencl_ok(code, "clCreateContext")) return 0;
  s->queue = clCreateCommandQueue(s->context, s->device, 0, &code);
  if (!opencl_ok(code, "clCreateCommandQueue")) return 0;
  tw_options options = tw_make_options();
  options.profile_path = profile; /* NULL: tilewright searches for one */
  if (!tilewright_ok(tw_open(s->context, s->device, &options, &s->library), "tw_open")) return 0;
  printf("profile: %s\n", tw_profile_origin(s->library));
  return 1;
}

static int make_buffers(struct state* s, float* a, size_t a_bytes, float* b, size_t b_bytes,
                        float* c, size_t c_bytes) {
  cl_int code = CL_SUCCESS;
  s->a = clCreateBuffer(s->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, a_bytes, a, &code);
  if (!opencl_ok(code, "clCreateBuffer (A)")) return 0;
  s->b = clCreateBuffer(s->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, b_bytes, b, &code);
  if (!opencl_ok(code, "clCreateBuffer (B)")) return 0;
  s->c = clCreateBuffer(s->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, c_bytes, c, &code);
  return opencl_ok(code, "clCreateBuffer (C)");
}

static int multiply_and_compare(struct state* s) {
  static float a[M * LDA], b[K * LDB], before[M * LDC], result[M * LDC];
  fill(a, M * LDA, 1);
  fill(b, K * LDB, 2);
  fill(before, M * LDC, 3);
  memcpy(result, before, sizeof result);
  if (!make_buffers(s, a, sizeof a, b, sizeof b, result, sizeof result)) return 0;

  tw_gemm_desc product = tw_make_gemm_desc(TW_FLOAT, M, N, K); /* row-major, no transposes */
  product.alpha.re = alpha;
  product.beta.re = beta;
  const tw_matrix matrix_a = tw_make_matrix(s->a, 0, LDA);
  const tw_matrix matrix_b = tw_make_matrix(s->b, 0, LDB);
  const tw_matrix matrix_c = tw_make_matrix(s->c, 0, LDC);
  /* tw_gemm returns as soon as the work is enqueued; the event completes when C is written. */
  cl_event done = NULL;
  const tw_status status =
      tw_gemm(s->library, s->queue, &product, &matrix_a, &matrix_b, &matrix_c, 0, NULL, &done);
  if (!tilewright_ok(status, "tw_gemm")) return 0;
  const cl_int code =
      clEnqueueReadBuffer(s->queue, s->c, CL_TRUE, 0, sizeof result, result, 1, &done, NULL);
  clReleaseEvent(done);
  if (!opencl_ok(code, "clEnqueueReadBuffer")) return 0;

  const int wrong = count_wrong(a, b, before, result);
  if (wrong != 0) fprintf(stderr, "%d of %d elements are wrong\n", wrong, M * LDC);
  return wrong == 0;
}

static void tear_down(struct state* s) {
  tw_close(s->library); /* NULL is allowed */
  if (s->c != NULL) clReleaseMemObject(s->c);
  if (s->b != NULL) clReleaseMemObject(s->b);
  if (s->a != NULL) clReleaseMemObject(s->a);
  if (s->queue != NULL) clReleaseCommandQueue(s->queue);
  if (s->context != NULL) clReleaseContext(s->context);
}

int main(int argc, char** argv) {
  const char* profile = argc > 1 && strcmp(argv[1], "-") != 0 ? argv[1] : NULL;
  char* end = "";
  const unsigned long number = argc > 2 ? strtoul(argv[2], &end, 10) : 0;
  if (argc > 3 || *end != '\0') {
    fprintf(stderr, "usage: %s [PROFILE|-] [DEVICE]\n", argv[0]);
    return 1;
  }
  struct state s = {0};
  s.device = find_device(number);
  if (s.device == NULL) fprintf(stderr, "there is no OpenCL device %lu\n", number);
  const int passed = s.device != NULL && set_up(&s, profile) && multiply_and_compare(&s);
  tear_down(&s);
  puts(passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}
