/* Error handling in a C program.
 *
 *   errors_c [PROFILE|-] [DEVICE]
 *
 * PROFILE and DEVICE: see sgemm_c. The program makes mistakes on purpose and checks that each one
 * is reported and enqueues nothing. Then it multiplies correctly. It prints PASS or FAIL; its exit
 * code is 0 or 1.
 */
#define CL_TARGET_OPENCL_VERSION 120 /* what this program uses of OpenCL */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/tilewright.h>

enum { SIZE = 16, ELEMENTS = SIZE * SIZE, BYTES = ELEMENTS * (int)sizeof(float) };

struct state {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem a, b, c;
  tw_library* library;
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

/* Prints who can correct the error, and how. */
static const char* advice(tw_status status) {
  switch (status) {
    case TW_SUCCESS:
      return "nothing";
    case TW_NO_PROFILE:
    case TW_BAD_PROFILE:
    case TW_WRONG_DEVICE:
      return "the installation: use another profile, or the built-in one";
    case TW_OUT_OF_MEMORY:
      return "device memory: free it device memory and call again";
    case TW_BUILD_FAILURE:
    case TW_OPENCL_ERROR:
      return "the driver: see tw_last_error() and tw_last_opencl_code()";
    case TW_INTERNAL:
      return "tilewright: report it";
    default:
      return "the program: fix the call";
  }
}

/* Prints what went wrong, and whether it was expected. */
static int expect(tw_status expected, tw_status status, const char* what) {
  printf("%s: %s: \"%s\"; cause: %s\n", what, tw_status_name(status), tw_last_error(),
         advice(status));
  if (status != expected) fprintf(stderr, "expected %s\n", tw_status_name(expected));
  return status == expected;
}

/* C = A B with arguments that may be wrong. *done is set only if it returns TW_SUCCESS. */
static tw_status multiply(struct state* s, cl_command_queue queue, cl_mem a, size_t ldb,
                          size_t offset_c, cl_event* done) {
  return tw_sgemm(s->library, queue, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, SIZE, SIZE, SIZE, 1.0f,
                  a, 0, SIZE, s->b, 0, ldb, 0.0f, s->c, offset_c, SIZE, 0, NULL, done);
}

/* A profile that cannot be used is an error if it was named, and *out is NULL; the built-in profile
 * is always there to fall back to. */
static int profiles_that_fail(struct state* s) {
  tw_library* library = NULL;
  tw_options options = tw_make_options();
  options.profile_path = "/no/such/profile.toml";
  int good = expect(TW_NO_PROFILE, tw_open(s->context, s->device, &options, &library),
                    "a file that is not there");
  options.profile_path = NULL;
  options.profile_text = "format = 1\n";
  good = expect(TW_BAD_PROFILE, tw_open(s->context, s->device, &options, &library),
                "a text that is no profile") &&
         good;
  return good && library == NULL;
}

/* Wrong arguments are found before anything is enqueued: C is as it was, and there is no event. */
static int calls_that_fail(struct state* s) {
  cl_event done = NULL;
  cl_command_queue queue = s->queue;
  int good = expect(TW_INVALID_BUFFER_A, multiply(s, queue, NULL, SIZE, 0, &done), "no matrix A");
  good = expect(TW_INVALID_LD_B, multiply(s, queue, s->a, SIZE - 1, 0, &done),
                "rows of B that overlap") &&
         good;
  good = expect(TW_INSUFFICIENT_BUFFER_C, multiply(s, queue, s->a, SIZE, 1, &done),
                "C beyond its buffer") &&
         good;
  good = expect(TW_INVALID_QUEUE, multiply(s, NULL, s->a, SIZE, 0, &done), "no queue") && good;
  return good && done == NULL;
}

/* The library still works after an error. If a command fails later on the device, its event reports
 * the error, as always in OpenCL: waiting returns an error code, and the event's status is
 * negative. */
static int call_that_works(struct state* s) {
  float c[ELEMENTS];
  cl_event done = NULL;
  if (!expect(TW_SUCCESS, multiply(s, s->queue, s->a, SIZE, 0, &done), "a call without mistakes"))
    return 0;
  const cl_int code = clWaitForEvents(1, &done);
  clReleaseEvent(done);
  if (code != CL_SUCCESS) {
    fprintf(stderr, "the product failed on the device: OpenCL code %d\n", (int)code);
    return 0;
  }
  if (clEnqueueReadBuffer(s->queue, s->c, CL_TRUE, 0, BYTES, c, 0, NULL, NULL) != CL_SUCCESS)
    return 0;
  for (int i = 0; i < ELEMENTS; ++i) {
    if (c[i] != SIZE) return 0; /* of matrices of ones */
  }
  return 1;
}

/* All that the program needs in addition to the library. */
static int set_up(struct state* s) {
  static float ones[ELEMENTS];
  for (int i = 0; i < ELEMENTS; ++i) ones[i] = 1.0f;
  s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, NULL);
  if (s->context == NULL) return 0;
  s->queue = clCreateCommandQueue(s->context, s->device, 0, NULL);
  s->a = clCreateBuffer(s->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, BYTES, ones, NULL);
  s->b = clCreateBuffer(s->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, BYTES, ones, NULL);
  s->c = clCreateBuffer(s->context, CL_MEM_READ_WRITE, BYTES, NULL, NULL);
  return s->queue != NULL && s->a != NULL && s->b != NULL && s->c != NULL;
}

static int run(struct state* s, const char* profile) {
  if (!set_up(s)) {
    fprintf(stderr, "OpenCL gives no context, queue or buffer\n");
    return 0;
  }
  if (!profiles_that_fail(s)) return 0;
  tw_options options = tw_make_options();
  options.profile_path = profile; /* NULL: tilewright searches for one */
  if (tw_open(s->context, s->device, &options, &s->library) != TW_SUCCESS) {
    fprintf(stderr, "%s\n", tw_last_error());
    return 0;
  }
  printf("profile: %s\n", tw_profile_origin(s->library));
  return calls_that_fail(s) && call_that_works(s);
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
  struct state s = {0};
  s.device = find_device(argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
  if (s.device == NULL) fprintf(stderr, "there is no such OpenCL device\n");
  const int passed = s.device != NULL && run(&s, profile);
  tear_down(&s);
  puts(passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}
