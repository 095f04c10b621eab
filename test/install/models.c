// Loads networks from files: models FILE... Needs a device.
#include <stdio.h>

#include <tilewright/network.h>

static int loads(tw_library* library, const char* path) {
  tw_network* net = NULL;
  if (tw_network_load(library, path, NULL, &net) != TW_SUCCESS) {
    fprintf(stderr, "%s\n", tw_last_error());
    return 0;
  }
  printf("%s: %zu -> %zu\n", path, tw_network_input_columns(net, 0), tw_network_output_columns(net, 0));
  tw_network_free(net);
  return 1;
}

int main(int argc, char** argv) {
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  tw_library* library = NULL;
  tw_network* net = NULL;
  int i, good = argc > 1;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  if (tw_open(context, device, NULL, &library) != TW_SUCCESS) {
    fprintf(stderr, "%s\n", tw_last_error());
    return 1;
  }
  for (i = 1; i < argc; ++i) good = good && loads(library, argv[i]);
  good = good && tw_network_load(library, "absent.onnx", NULL, &net) == TW_INVALID_NETWORK;
  tw_close(library);
  clReleaseContext(context);
  puts(good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
