/* Measures the times of a library in one process, for library_times. Prints one line "NAME
 * MICROSECONDS" for each.
 *
 *   library_times NUM_CALLS      warm calls of each kind; 0: only tw_open and the first call
 *
 * Uses the first OpenCL device; environment variables choose the profile and the caches. Context
 * and queue are created before, because their time is the driver's. Calls no functions but tw_open,
 * tw_close, tw_sgemm and tw_last_error, so that it also runs with older libraries.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>
#include <stdlib.h>
#include <tilewright/tilewright.h>
#include <time.h>

enum { kSize = 130, kOpens = 9 };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_mem ones, c;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "library_times: %s\n", what);
  exit(1);
}

static tw_library* opened(double* us) {
  tw_library* library = NULL;
  const double begin = now(CLOCK_MONOTONIC);
  require(tw_open(context, device, NULL, &library) == TW_SUCCESS, tw_last_error());
  *us = now(CLOCK_MONOTONIC) - begin;
  return library;
}

/* The time of a product of n x n matrices, until it is enqueued or complete. */
static double call(tw_library* library, size_t n, clockid_t clock, int complete) {
  const double begin = now(clock);
  require(tw_sgemm(library, queue, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, n, n, n, 1.0f, ones, 0,
                   n, ones, 0, n, 0.0f, c, 0, n, 0, NULL, NULL) == TW_SUCCESS,
          tw_last_error());
  if (complete) require(clFinish(queue) == CL_SUCCESS, "the product failed");
  const double us = now(clock) - begin;
  clFinish(queue);
  return us;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, size_t count) {
  qsort(values, count, sizeof(double), by_value);
  return values[count / 2];
}

static double warm_call(tw_library* library, size_t count, clockid_t clock, int complete) {
  double* us = malloc(count * sizeof(double));
  require(us != NULL, "NUM_CALLS is too large");
  for (size_t i = 0; i < count; ++i) us[i] = call(library, 16, clock, complete);
  const double result = median(us, count);
  free(us);
  return result;
}

int main(int argc, char** argv) {
  require(argc == 2, "usage: library_times NUM_CALLS");
  const size_t num_calls = strtoul(argv[1], NULL, 10);
  cl_platform_id platform;
  require(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS, "no OpenCL platform");
  require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS,
          "no OpenCL device");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  queue = clCreateCommandQueue(context, device, 0, NULL);
  static float data[kSize * kSize];
  for (size_t i = 0; i < kSize * kSize; ++i) data[i] = 1.0f;
  ones = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(data), data, NULL);
  c = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(data), NULL, NULL);

  double first_open_us;
  tw_library* library = opened(&first_open_us);
  printf("tw_open %.3f\n", first_open_us);
  const double first_call_us = call(library, 64, CLOCK_MONOTONIC, 1);
  printf("first_call %.3f\nopen_and_first_call %.3f\n", first_call_us,
         first_open_us + first_call_us);
  const double next_shape_us = call(library, kSize, CLOCK_MONOTONIC, 1);
  require(
      clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL) == CL_SUCCESS,
      "reading failed");
  for (size_t i = 0; i < kSize * kSize; ++i)
    require(data[i] == (float)kSize, "the product is wrong");
  if (num_calls > 0) {
    printf("first_call_of_next_shape %.3f\n", next_shape_us);
    for (size_t i = 0; i < num_calls / 8; ++i) call(library, 16, CLOCK_MONOTONIC, 1);
    printf("warm_call_enqueued %.3f\n", warm_call(library, num_calls, CLOCK_MONOTONIC, 0));
    printf("warm_call_enqueued_cpu %.3f\n",
           warm_call(library, num_calls, CLOCK_THREAD_CPUTIME_ID, 0));
    printf("warm_call_complete %.3f\n", warm_call(library, num_calls, CLOCK_MONOTONIC, 1));
    printf("warm_call_complete_cpu %.3f\n",
           warm_call(library, num_calls, CLOCK_THREAD_CPUTIME_ID, 1));
    double open_us[kOpens];
    for (int i = 0; i < kOpens; ++i) tw_close(opened(&open_us[i]));
    printf("tw_open_again %.3f\n", median(open_us, kOpens));
  }
  tw_close(library);
  return 0;
}
