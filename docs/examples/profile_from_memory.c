/* How does a C program contain the profile of its board, so that it needs no file?
 *
 *   profile_from_memory_c [DEVICE]
 *
 * CMakeLists.txt makes board_profile.h of a profile file. DEVICE is a number as
 * `tilewright devices` prints it (default 0). On the board of the profile this profile is used; on
 * another one the program falls back to the profile that tilewright finds by itself. It multiplies
 * once to check that this works, and prints PASS or FAIL; its exit code is 0 or 1.
 */
#define CL_TARGET_OPENCL_VERSION 120 /* what this program uses of OpenCL */

#include <stdio.h>
#include <stdlib.h>
#include <tilewright/tilewright.h>

#include "board_profile.h" /* const unsigned char board_profile[], which ends with a 0 */

enum { SIZE = 16, ELEMENTS = SIZE * SIZE, BYTES = ELEMENTS * (int)sizeof(float) };

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

/* Opens the library with the embedded profile. Prints an error and returns NULL if that fails. */
static tw_library* open_library(cl_context context, cl_device_id device) {
  tw_library* library = NULL;
  tw_options options = tw_make_options();
  options.profile_text = (const char*)board_profile;
  tw_status status = tw_open(context, device, &options, &library);
  if (status == TW_WRONG_DEVICE) { /* the program runs on another board than it was made for */
    fprintf(stderr, "%s\n", tw_last_error());
    status = tw_open(context, device, NULL, &library);
  }
  if (status != TW_SUCCESS) fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_last_error());
  return library;
}

/* C = 2 A, as the product of 2 A and the identity. */
static int works(tw_library* library, cl_context context, cl_command_queue queue) {
  float a[ELEMENTS], b[ELEMENTS] = {0}, c[ELEMENTS];
  for (int i = 0; i < ELEMENTS; ++i) a[i] = (float)i;
  for (int i = 0; i < SIZE; ++i) b[i * SIZE + i] = 1.0f;
  const cl_mem_flags copied = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
  cl_mem buffer_a = clCreateBuffer(context, copied, BYTES, a, NULL);
  cl_mem buffer_b = clCreateBuffer(context, copied, BYTES, b, NULL);
  cl_mem buffer_c = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, NULL);
  const tw_status status =
      tw_sgemm(library, queue, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, SIZE, SIZE, SIZE, 2.0f,
               buffer_a, 0, SIZE, buffer_b, 0, SIZE, 0.0f, buffer_c, 0, SIZE, 0, NULL, NULL);
  if (status != TW_SUCCESS) fprintf(stderr, "%s: %s\n", tw_status_name(status), tw_last_error());
  /* The queue is in order: reading comes after the product. */
  int right = status == TW_SUCCESS && clEnqueueReadBuffer(queue, buffer_c, CL_TRUE, 0, BYTES, c, 0,
                                                          NULL, NULL) == CL_SUCCESS;
  for (int i = 0; right && i < ELEMENTS; ++i) right = c[i] == 2.0f * a[i];
  if (buffer_c != NULL) clReleaseMemObject(buffer_c);
  if (buffer_b != NULL) clReleaseMemObject(buffer_b);
  if (buffer_a != NULL) clReleaseMemObject(buffer_a);
  return right;
}

int main(int argc, char** argv) {
  cl_device_id device = find_device(argc > 1 ? strtoul(argv[1], NULL, 10) : 0);
  cl_context context = device == NULL ? NULL : clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = context == NULL ? NULL : clCreateCommandQueue(context, device, 0, NULL);
  if (queue == NULL) fprintf(stderr, "there is no such OpenCL device\n");
  tw_library* library = queue == NULL ? NULL : open_library(context, device);
  if (library != NULL) printf("profile: %s\n", tw_profile_origin(library));
  const int passed = library != NULL && works(library, context, queue);
  tw_close(library); /* NULL is allowed */
  if (queue != NULL) clReleaseCommandQueue(queue);
  if (context != NULL) clReleaseContext(context);
  puts(passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}
