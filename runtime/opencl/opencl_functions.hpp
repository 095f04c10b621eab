// The OpenCL functions that tilewright calls, found at run time.
//
// Internal to this folder. Neither the program nor the library is linked to libOpenCL: vendors'
// libraries have other symbol versions, lack functions, or lie in other places. All other sources
// call OpenCL by its usual names; opencl_forwarders.cpp defines those.
#pragma once

#include <CL/cl.h>

namespace tilewright {

// A function that tilewright starts to call is added here and in opencl_forwarders.cpp.
#define TILEWRIGHT_OPENCL_FUNCTIONS(APPLY) \
  APPLY(clBuildProgram)                    \
  APPLY(clCreateBuffer)                    \
  APPLY(clCreateCommandQueue)              \
  APPLY(clCreateContext)                   \
  APPLY(clCreateImage)                     \
  APPLY(clCreateImage2D)                   \
  APPLY(clCreateKernel)                    \
  APPLY(clCreateProgramWithBinary)         \
  APPLY(clCreateProgramWithSource)         \
  APPLY(clEnqueueMapBuffer)                \
  APPLY(clEnqueueMarker)                   \
  APPLY(clEnqueueMarkerWithWaitList)       \
  APPLY(clEnqueueNDRangeKernel)            \
  APPLY(clEnqueueReadBuffer)               \
  APPLY(clEnqueueReadImage)                \
  APPLY(clEnqueueUnmapMemObject)           \
  APPLY(clEnqueueWaitForEvents)            \
  APPLY(clEnqueueWriteBuffer)              \
  APPLY(clEnqueueWriteImage)               \
  APPLY(clFinish)                          \
  APPLY(clFlush)                           \
  APPLY(clGetCommandQueueInfo)             \
  APPLY(clGetContextInfo)                  \
  APPLY(clGetDeviceIDs)                    \
  APPLY(clGetDeviceInfo)                   \
  APPLY(clGetEventInfo)                    \
  APPLY(clGetEventProfilingInfo)           \
  APPLY(clGetKernelInfo)                   \
  APPLY(clGetKernelWorkGroupInfo)          \
  APPLY(clGetMemObjectInfo)                \
  APPLY(clGetPlatformIDs)                  \
  APPLY(clGetPlatformInfo)                 \
  APPLY(clGetProgramBuildInfo)             \
  APPLY(clGetProgramInfo)                  \
  APPLY(clReleaseCommandQueue)             \
  APPLY(clReleaseContext)                  \
  APPLY(clReleaseDevice)                   \
  APPLY(clReleaseEvent)                    \
  APPLY(clReleaseKernel)                   \
  APPLY(clReleaseMemObject)                \
  APPLY(clReleaseProgram)                  \
  APPLY(clRetainCommandQueue)              \
  APPLY(clRetainContext)                   \
  APPLY(clRetainDevice)                    \
  APPLY(clRetainEvent)                     \
  APPLY(clRetainKernel)                    \
  APPLY(clRetainMemObject)                 \
  APPLY(clRetainProgram)                   \
  APPLY(clSetEventCallback)                \
  APPLY(clSetKernelArg)                    \
  APPLY(clWaitForEvents)

// Null where the loader has no such function.
struct OpenClFunctions {
#define TILEWRIGHT_DECLARE(name) decltype(&::name) name = nullptr;
  TILEWRIGHT_OPENCL_FUNCTIONS(TILEWRIGHT_DECLARE)
#undef TILEWRIGHT_DECLARE
};

// Those of this process. Finds the loader on the first call. Thread-safe.
const OpenClFunctions& opencl_functions();

}  // namespace tilewright
