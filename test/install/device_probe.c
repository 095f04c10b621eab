/* Is there an OpenCL device? Exit code 0: yes; 1: no. */
#include <CL/cl.h>

int main(void) {
  cl_platform_id platforms[16];
  cl_uint num_platforms = 0;
  if (clGetPlatformIDs(16, platforms, &num_platforms) != CL_SUCCESS) return 1;
  for (cl_uint p = 0; p < num_platforms && p < 16; ++p) {
    cl_uint num_devices = 0;
    if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 0, 0, &num_devices) == CL_SUCCESS &&
        num_devices > 0) {
      return 0;
    }
  }
  return 1;
}
