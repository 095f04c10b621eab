// The OpenCL functions that tilewright calls, found at run time.
//
// Internal to this folder. The program and the library are not linked to libOpenCL, because
// vendors' libraries have other symbol versions, lack functions, or are in other places. All other
// sources call OpenCL by its usual names, which opencl_forwarders.cpp defines.
#pragma once

#include <CL/cl.h>

namespace tilewright {

// To call a new function, add it here and in opencl_forwarders.cpp.
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
  APPLY(clCreateSubDevices)                \
  APPLY(clEnqueueMapBuffer)                \
  APPLY(clEnqueueMarker)                   \
  APPLY(clEnqueueMarkerWithWaitList)       \
  APPLY(clEnqueueNDRangeKernel)            \
  APPLY(clEnqueueReadBuffer)               \
  APPLY(clEnqueueReadBufferRect)           \
  APPLY(clEnqueueReadImage)                \
  APPLY(clEnqueueUnmapMemObject)           \
  APPLY(clEnqueueWaitForEvents)            \
  APPLY(clEnqueueWriteBuffer)              \
  APPLY(clEnqueueWriteBufferRect)          \
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

// Null for functions that the loader lacks.
struct OpenClFunctions {
#define TILEWRIGHT_DECLARE(name) decltype(&::name) name = nullptr;
  TILEWRIGHT_OPENCL_FUNCTIONS(TILEWRIGHT_DECLARE)
#undef TILEWRIGHT_DECLARE
};

// The functions of this process. Finds the loader at the first call. Thread-safe.
const OpenClFunctions& opencl_functions();

}  // namespace tilewright
