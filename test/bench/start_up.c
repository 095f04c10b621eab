/* Measures how long a program takes to open a library and to compute its first product.
 *
 *   start_up SIZE [PROFILE]
 *
 * Uses the first OpenCL device and multiplies SIZE x SIZE matrices, row-major, NN. Prints three times in ms: from
 * opening the library to the end of the product, opening alone, and closing. Context and queue are created before:
 * their time is the driver's.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tilewright/tilewright.h>

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void require(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "start_up: %s\n", what);
  exit(1);
}

int main(int argc, char **argv) {
  require(argc == 2 || argc == 3, "usage: start_up SIZE [PROFILE]");
  const size_t size = strtoul(argv[1], NULL, 10), bytes = sizeof(float) * size * size;
  cl_platform_id platform;
  cl_device_id device;
  require(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS, "no OpenCL platform");
  require(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS, "no OpenCL device");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
  float *ones = malloc(bytes), *c = malloc(bytes);
  require(size > 0 && ones != NULL && c != NULL, "SIZE must be a number that memory holds");
  for (size_t i = 0; i < size * size; ++i) ones[i] = 1.0f;
  cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, ones, NULL);
  cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);

  const double begin = now_ms();
  tw_library *library = NULL;
  tw_options options = tw_make_options();
  options.profile_path = argc > 2 ? argv[2] : NULL;
  require(tw_open(context, device, &options, &library) == TW_SUCCESS, tw_last_error());
  const double open = now_ms();
  require(tw_sgemm(library, queue, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, size, size, size, 1.0f, a, 0, size,
                   a, 0, size, 0.0f, b, 0, size, 0, NULL, NULL) == TW_SUCCESS,
          tw_last_error());
  require(clFinish(queue) == CL_SUCCESS, "the product failed");
  const double done = now_ms();
  require(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, bytes, c, 0, NULL, NULL) == CL_SUCCESS, "reading failed");
  for (size_t i = 0; i < size * size; ++i) require(c[i] == (float)size, "the product is wrong");
  const double close = now_ms();
  tw_close(library);
  printf("%.3f %.3f %.3f\n", done - begin, open - begin, now_ms() - close);
  return 0;
}
