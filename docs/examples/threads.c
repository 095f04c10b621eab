/* How do the threads of a C program multiply with one library?
 *
 *   threads_c [PROFILE|-] [DEVICE]
 *
 * PROFILE and DEVICE are as for sgemm_c. All threads use one library. Each thread has its own
 * queue, multiplies matrices of its own extents several times, and compares each product with a
 * plain loop. The program prints PASS or FAIL; its exit code is 0 or 1.
 */
#define CL_TARGET_OPENCL_VERSION 120 /* what this program uses of OpenCL */

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/tilewright.h>

enum { THREADS = 4, PRODUCTS = 8, MOST = 48 }; /* no extent is larger than MOST */

/* The input and the result of a thread. */
struct work {
  cl_device_id device;
  cl_context context;
  tw_library* library; /* the same for all */
  int number;
  int passed;
};

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
static void fill(float* values, int count, unsigned seed) {
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

/* Is C (m x n) = A (m x k) B (k x n), all row-major without gaps? */
static int is_product(const float* c, const float* a, const float* b, int m, int n, int k) {
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int l = 0; l < k; ++l) sum += (double)a[i * k + l] * b[l * n + j];
      if (!(fabs(c[i * n + j] - sum) <= 1e-4)) return 0; /* a NaN, too */
    }
  }
  return 1;
}

/* One product on the thread's own queue, which is in order, so that no events are needed. */
static int multiply(const struct work* w, cl_command_queue queue, cl_mem* buffers, int round) {
  const int m = 8 + 10 * w->number, n = MOST - 4 * round, k = 16 + w->number;
  float a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
  const size_t a_bytes = sizeof(float) * m * k, b_bytes = sizeof(float) * k * n,
               c_bytes = sizeof(float) * m * n;
  fill(a, m * k, 1u + (unsigned)round);
  fill(b, k * n, 100u + (unsigned)w->number);
  if (clEnqueueWriteBuffer(queue, buffers[0], CL_FALSE, 0, a_bytes, a, 0, NULL, NULL) !=
          CL_SUCCESS ||
      clEnqueueWriteBuffer(queue, buffers[1], CL_FALSE, 0, b_bytes, b, 0, NULL, NULL) !=
          CL_SUCCESS) {
    clFinish(queue); /* nothing may read a and b after their end */
    return 0;
  }
  const tw_status status =
      tw_sgemm(w->library, queue, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, m, n, k, 1.0f, buffers[0],
               0, k, buffers[1], 0, n, 0.0f, buffers[2], 0, n, 0, NULL, NULL);
  /* tw_last_error() returns the last error of this thread, not those of other threads. */
  if (status != TW_SUCCESS) fprintf(stderr, "thread %d: %s\n", w->number, tw_last_error());
  const cl_int code = clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, c_bytes, c, 0, NULL, NULL);
  return status == TW_SUCCESS && code == CL_SUCCESS && is_product(c, a, b, m, n, k);
}

static void* run_thread(void* argument) {
  struct work* w = argument;
  cl_mem buffers[3] = {NULL, NULL, NULL};
  cl_command_queue queue = clCreateCommandQueue(w->context, w->device, 0, NULL);
  w->passed = queue != NULL;
  for (int i = 0; i < 3; ++i) {
    buffers[i] =
        clCreateBuffer(w->context, CL_MEM_READ_WRITE, sizeof(float) * MOST * MOST, NULL, NULL);
    w->passed = w->passed && buffers[i] != NULL;
  }
  for (int round = 0; w->passed && round < PRODUCTS; ++round)
    w->passed = multiply(w, queue, buffers, round);
  for (int i = 0; i < 3; ++i) {
    if (buffers[i] != NULL) clReleaseMemObject(buffers[i]);
  }
  if (queue != NULL) clReleaseCommandQueue(queue);
  return NULL;
}

/* Starts the threads and waits for them: tw_close must come after the last call of each. */
static int run_threads(const struct work* common) {
  pthread_t threads[THREADS];
  struct work works[THREADS];
  int started = 0, passed = 1;
  for (; started < THREADS; ++started) {
    works[started] = *common;
    works[started].number = started;
    if (pthread_create(&threads[started], NULL, run_thread, &works[started]) != 0) break;
  }
  for (int i = 0; i < started; ++i) {
    pthread_join(threads[i], NULL);
    printf("thread %d: %d products: %s\n", i, PRODUCTS, works[i].passed ? "right" : "wrong");
    passed = passed && works[i].passed;
  }
  return passed && started == THREADS;
}

int main(int argc, char** argv) {
  const char* profile = argc > 1 && strcmp(argv[1], "-") != 0 ? argv[1] : NULL;
  struct work common = {0};
  common.device = find_device(argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
  if (common.device != NULL)
    common.context = clCreateContext(NULL, 1, &common.device, NULL, NULL, NULL);
  if (common.context == NULL) fprintf(stderr, "there is no such OpenCL device\n");
  int passed = 0;
  if (common.context != NULL) {
    tw_options options = tw_make_options();
    options.profile_path = profile; /* NULL: tilewright searches for one */
    if (tw_open(common.context, common.device, &options, &common.library) == TW_SUCCESS) {
      printf("profile: %s\n", tw_profile_origin(common.library));
      passed = run_threads(&common);
    } else {
      fprintf(stderr, "%s\n", tw_last_error());
    }
    tw_close(common.library);
    clReleaseContext(common.context);
  }
  puts(passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}
