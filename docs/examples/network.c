/* How does a C program run a fully-connected network?
 *
 *   network_c [PROFILE|-] [DEVICE]
 *
 * PROFILE and DEVICE are as for sgemm_c. The program creates a network of two affine layers,
 * followed by ReLU and softmax, with made-up weights. It runs a batch, compares the results with
 * plain loops, and prints PASS or FAIL; its exit code is 0 or 1.
 */
#define CL_TARGET_OPENCL_VERSION 120 /* what this program uses of OpenCL */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tilewright/network.h>

enum { INPUTS = 64, HIDDEN = 50, OUTPUTS = 10, BATCH = 7 };

/* All that must be freed; what was never made is NULL. */
struct state {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem x, y;
  tw_library* library;
  tw_network* net;
};

static float weights_1[INPUTS * HIDDEN], bias_1[HIDDEN];
static float weights_2[HIDDEN * OUTPUTS], bias_2[OUTPUTS];
static float x[BATCH * INPUTS], y[BATCH * OUTPUTS];

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

/* out = in W + b, of one sample. */
static void affine(const double* in, int inputs, const float* weights, const float* bias,
                   int outputs, double* out) {
  for (int j = 0; j < outputs; ++j) {
    out[j] = bias[j];
    for (int i = 0; i < inputs; ++i) out[j] += in[i] * weights[i * outputs + j];
  }
}

static int count_wrong(void) {
  int wrong = 0;
  for (int sample = 0; sample < BATCH; ++sample) {
    double in[INPUTS], hidden[HIDDEN], out[OUTPUTS], sum = 0.0;
    for (int i = 0; i < INPUTS; ++i) in[i] = x[sample * INPUTS + i];
    affine(in, INPUTS, weights_1, bias_1, HIDDEN, hidden);
    for (int j = 0; j < HIDDEN; ++j) hidden[j] = hidden[j] > 0.0 ? hidden[j] : 0.0;
    affine(hidden, HIDDEN, weights_2, bias_2, OUTPUTS, out);
    for (int j = 0; j < OUTPUTS; ++j) sum += out[j] = exp(out[j]);
    for (int j = 0; j < OUTPUTS; ++j) {
      if (!(fabs(y[sample * OUTPUTS + j] - out[j] / sum) <= 1e-5))
        ++wrong; /* a NaN is wrong, too */
    }
  }
  return wrong;
}

/* A context with a queue, buffers and a library on the device. */
static int set_up(struct state* s, const char* profile) {
  cl_int code = CL_SUCCESS;
  s->context = clCreateContext(NULL, 1, &s->device, NULL, NULL, &code);
  if (!opencl_ok(code, "clCreateContext")) return 0;
  s->queue = clCreateCommandQueue(s->context, s->device, 0, &code);
  if (!opencl_ok(code, "clCreateCommandQueue")) return 0;
  fill(x, BATCH * INPUTS, 7);
  s->x = clCreateBuffer(s->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(x), x, &code);
  if (!opencl_ok(code, "clCreateBuffer (X)")) return 0;
  s->y = clCreateBuffer(s->context, CL_MEM_READ_WRITE, sizeof(y), NULL, &code);
  if (!opencl_ok(code, "clCreateBuffer (Y)")) return 0;
  tw_options options = tw_make_options();
  options.profile_path = profile; /* NULL: tilewright searches for one */
  if (!tilewright_ok(tw_open(s->context, s->device, &options, &s->library), "tw_open")) return 0;
  printf("profile: %s\n", tw_profile_origin(s->library));
  return 1;
}

static int make_network(struct state* s) {
  const tw_network_layer layers[] = {
      {TW_LAYER_AFFINE, "first", INPUTS, HIDDEN, weights_1, bias_1, 0.0f, 0.0f, 0.0f, 0.0f},
      {TW_LAYER_RELU, NULL, 0, 0, NULL, NULL, 0.0f, 0.0f, 0.0f, 0.0f},
      {TW_LAYER_AFFINE, "second", HIDDEN, OUTPUTS, weights_2, bias_2, 0.0f, 0.0f, 0.0f, 0.0f},
      {TW_LAYER_SOFTMAX, NULL, 0, 0, NULL, NULL, 0.0f, 0.0f, 0.0f, 0.0f}};
  fill(weights_1, INPUTS * HIDDEN, 1);
  fill(bias_1, HIDDEN, 2);
  fill(weights_2, HIDDEN * OUTPUTS, 3);
  fill(bias_2, OUTPUTS, 4);
  const tw_network_desc desc = tw_make_network_desc(TW_FLOAT, layers, 4);
  return tilewright_ok(tw_network_create(s->library, &desc, &s->net), "tw_network_create");
}

/* The queue is in order, so that no events are needed. */
static int run_network(struct state* s) {
  const tw_matrix input = tw_make_matrix(s->x, 0, INPUTS),
                  output = tw_make_matrix(s->y, 0, OUTPUTS);
  if (!tilewright_ok(
          tw_network_forward(s->net, s->queue, BATCH, &input, 1, &output, 1, NULL, 0, NULL, NULL),
          "tw_network_forward") ||
      !opencl_ok(clEnqueueReadBuffer(s->queue, s->y, CL_TRUE, 0, sizeof(y), y, 0, NULL, NULL),
                 "clEnqueueReadBuffer")) {
    return 0;
  }
  const int wrong = count_wrong();
  if (wrong != 0) fprintf(stderr, "%d of %d probabilities are wrong\n", wrong, BATCH * OUTPUTS);
  return wrong == 0;
}

static void tear_down(struct state* s) {
  tw_network_free(s->net); /* NULL is allowed */
  tw_close(s->library);
  if (s->y != NULL) clReleaseMemObject(s->y);
  if (s->x != NULL) clReleaseMemObject(s->x);
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
  const int passed = s.device != NULL && set_up(&s, profile) && make_network(&s) && run_network(&s);
  tear_down(&s);
  puts(passed ? "PASS" : "FAIL");
  return passed ? 0 : 1;
}
