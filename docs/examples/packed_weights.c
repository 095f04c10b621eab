/* How does a C program pack weights once and multiply with them many times?
 *
 *   packed_weights_c [PROFILE|-] [DEVICE]
 *
 * PROFILE and DEVICE are as for sgemm_c. The program computes C = alpha A W for three matrices A
 * and one W, which is packed before the first product, compares each C with a plain loop, and
 * prints PASS or FAIL; its exit code is 0 or 1.
 */
#define CL_TARGET_OPENCL_VERSION 120 /* what this program uses of OpenCL */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/tilewright.h>

/* A is M x K, W is K x N, C is M x N; row-major, without gaps. */
enum { M = 37, N = 53, K = 29 };

/* All that must be freed; what was never made is NULL. */
struct state {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem a, w, c;
  tw_library* library;
  tw_plan* plan;
  tw_packed* weights;
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

static int count_wrong(float alpha, const float* a, const float* w, const float* c) {
  int wrong = 0;
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      double sum = 0.0;
      for (int l = 0; l < K; ++l) sum += (double)a[i * K + l] * w[l * N + j];
      if (!(fabs(c[i * N + j] - alpha * sum) <= 1e-4)) ++wrong; /* a NaN is wrong, too */
    }
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

static int make_buffers(struct state* s) {
  cl_int code = CL_SUCCESS;
  s->a = clCreateBuffer(s->context, CL_MEM_READ_ONLY, M * K * sizeof(float), NULL, &code);
  if (!opencl_ok(code, "clCreateBuffer (A)")) return 0;
  s->w = clCreateBuffer(s->context, CL_MEM_READ_ONLY, K * N * sizeof(float), NULL, &code);
  if (!opencl_ok(code, "clCreateBuffer (W)")) return 0;
  s->c = clCreateBuffer(s->context, CL_MEM_READ_WRITE, M * N * sizeof(float), NULL, &code);
  return opencl_ok(code, "clCreateBuffer (C)");
}

/* Plans the product and packs W. The queue is in order, so that no events are needed. */
static int pack(struct state* s, const float* w) {
  const tw_gemm_desc product = tw_make_gemm_desc(TW_FLOAT, M, N, K);
  /* NULL: matrices without offsets and gaps. */
  if (!tilewright_ok(tw_plan_create(s->library, &product, NULL, NULL, NULL, &s->plan),
                     "tw_plan_create")) {
    return 0;
  }
  printf("%s: %s\nW packed: %lu bytes\n", tw_plan_kernel(s->plan), tw_plan_reason(s->plan),
         (unsigned long)tw_plan_packed_bytes(s->plan, TW_OPERAND_B));
  const cl_int code =
      clEnqueueWriteBuffer(s->queue, s->w, CL_TRUE, 0, K * N * sizeof(float), w, 0, NULL, NULL);
  const tw_matrix matrix = tw_make_matrix(s->w, 0, N);
  return opencl_ok(code, "clEnqueueWriteBuffer (W)") &&
         tilewright_ok(
             tw_pack(s->plan, s->queue, TW_OPERAND_B, &matrix, NULL, 0, NULL, &s->weights, NULL),
             "tw_pack");
}

static int multiply(struct state* s, float alpha, const float* a, float* c) {
  const tw_scalar scale = {alpha, 0.0}, beta = {0.0, 0.0};
  const tw_matrix matrix_a = tw_make_matrix(s->a, 0, K);
  const tw_matrix matrix_w = tw_make_packed_matrix(s->weights);
  const tw_matrix matrix_c = tw_make_matrix(s->c, 0, N);
  return opencl_ok(clEnqueueWriteBuffer(s->queue, s->a, CL_TRUE, 0, M * K * sizeof(float), a, 0,
                                        NULL, NULL),
                   "clEnqueueWriteBuffer (A)") &&
         tilewright_ok(tw_execute(s->plan, s->queue, scale, &matrix_a, &matrix_w, beta, &matrix_c,
                                  NULL, 0, NULL, NULL),
                       "tw_execute") &&
         opencl_ok(clEnqueueReadBuffer(s->queue, s->c, CL_TRUE, 0, M * N * sizeof(float), c, 0,
                                       NULL, NULL),
                   "clEnqueueReadBuffer");
}

static int pack_and_multiply(struct state* s) {
  static float a[M * K], w[K * N], c[M * N];
  fill(w, K * N, 1);
  if (!make_buffers(s) || !pack(s, w)) return 0;
  int wrong = 0;
  for (unsigned i = 0; i < 3; ++i) {
    const float alpha = 1.0f + (float)i;
    fill(a, M * K, 2 + i);
    if (!multiply(s, alpha, a, c)) return 0;
    wrong += count_wrong(alpha, a, w, c);
  }
  if (wrong != 0) fprintf(stderr, "%d of %d elements are wrong\n", wrong, 3 * M * N);
  return wrong == 0;
}

static void tear_down(struct state* s) {
  tw_packed_free(s->weights); /* NULL is allowed */
  tw_plan_free(s->plan);
  tw_close(s->library);
  if (s->c != NULL) clReleaseMemObject(s->c);
  if (s->w != NULL) clReleaseMemObject(s->w);
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
  const int passed = s.device != NULL && set_up(&s, profile) && pack_and_multiply(&s);
  tear_down(&s);
  puts(passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}
