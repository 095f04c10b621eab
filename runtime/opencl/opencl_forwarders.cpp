// Defines OpenCL's functions. Each calls the loader's function of the same name.
//
// The definitions are hidden, so that other libraries of the process do not see them, and weak, so
// that a statically linked libOpenCL and test programs can define functions of the same names.
#include "runtime/opencl/opencl_functions.hpp"

#ifndef TILEWRIGHT_OPENCL_VISIBILITY  // a test compiles this file as a vendor's libOpenCL
#define TILEWRIGHT_OPENCL_VISIBILITY "hidden"
#endif

namespace {

using tilewright::opencl_functions;

// Error code for a function that the loader lacks.
cl_int absent() {
  constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR: there is no loader
  return opencl_functions().clGetPlatformIDs == nullptr ? kNoPlatform : CL_INVALID_OPERATION;
}

template <class Object>
Object no_object(cl_int* errcode_ret) {
  if (errcode_ret != nullptr) *errcode_ret = absent();
  return nullptr;
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses)
#define DEFINE(result, name, parameters)                                     \
  extern "C" __attribute__((weak, visibility(TILEWRIGHT_OPENCL_VISIBILITY))) \
  result CL_API_CALL name parameters

#define FORWARD(result, name, parameters, arguments)            \
  DEFINE(result, name, parameters) {                            \
    const auto function = opencl_functions().name;              \
    return function == nullptr ? absent() : function arguments; \
  }

// For functions that return an object and write their error code to `errcode_ret`.
#define CREATE(result, name, parameters, arguments)                                   \
  DEFINE(result, name, parameters) {                                                  \
    const auto function = opencl_functions().name;                                    \
    return function == nullptr ? no_object<result>(errcode_ret) : function arguments; \
  }

FORWARD(cl_int, clBuildProgram,
        (cl_program program, cl_uint num_devices, const cl_device_id* device_list,
         const char* options, void(CL_CALLBACK* pfn_notify)(cl_program program, void* user_data),
         void* user_data),
        (program, num_devices, device_list, options, pfn_notify, user_data))
CREATE(cl_mem, clCreateBuffer,
       (cl_context context, cl_mem_flags flags, size_t size, void* host_ptr, cl_int* errcode_ret),
       (context, flags, size, host_ptr, errcode_ret))
CREATE(cl_command_queue, clCreateCommandQueue,
       (cl_context context, cl_device_id device, cl_command_queue_properties properties,
        cl_int* errcode_ret),
       (context, device, properties, errcode_ret))
CREATE(cl_context, clCreateContext,
       (const cl_context_properties* properties, cl_uint num_devices, const cl_device_id* devices,
        void(CL_CALLBACK* pfn_notify)(const char* errinfo, const void* private_info, size_t cb,
                                      void* user_data),
        void* user_data, cl_int* errcode_ret),
       (properties, num_devices, devices, pfn_notify, user_data, errcode_ret))
CREATE(cl_mem, clCreateImage2D,
       (cl_context context, cl_mem_flags flags, const cl_image_format* image_format,
        size_t image_width, size_t image_height, size_t image_row_pitch, void* host_ptr,
        cl_int* errcode_ret),
       (context, flags, image_format, image_width, image_height, image_row_pitch, host_ptr,
        errcode_ret))
CREATE(cl_kernel, clCreateKernel,
       (cl_program program, const char* kernel_name, cl_int* errcode_ret),
       (program, kernel_name, errcode_ret))
CREATE(cl_program, clCreateProgramWithBinary,
       (cl_context context, cl_uint num_devices, const cl_device_id* device_list,
        const size_t* lengths, const unsigned char** binaries, cl_int* binary_status,
        cl_int* errcode_ret),
       (context, num_devices, device_list, lengths, binaries, binary_status, errcode_ret))
CREATE(cl_program, clCreateProgramWithSource,
       (cl_context context, cl_uint count, const char** strings, const size_t* lengths,
        cl_int* errcode_ret),
       (context, count, strings, lengths, errcode_ret))
FORWARD(cl_int, clCreateSubDevices,
        (cl_device_id in_device, const cl_device_partition_property* properties,
         cl_uint num_devices, cl_device_id* out_devices, cl_uint* num_devices_ret),
        (in_device, properties, num_devices, out_devices, num_devices_ret))
CREATE(void*, clEnqueueMapBuffer,
       (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map, cl_map_flags map_flags,
        size_t offset, size_t size, cl_uint num_events_in_wait_list,
        const cl_event* event_wait_list, cl_event* event, cl_int* errcode_ret),
       (command_queue, buffer, blocking_map, map_flags, offset, size, num_events_in_wait_list,
        event_wait_list, event, errcode_ret))
FORWARD(cl_int, clEnqueueMarker, (cl_command_queue command_queue, cl_event* event),
        (command_queue, event))
FORWARD(cl_int, clEnqueueNDRangeKernel,
        (cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
         const size_t* global_work_offset, const size_t* global_work_size,
         const size_t* local_work_size, cl_uint num_events_in_wait_list,
         const cl_event* event_wait_list, cl_event* event),
        (command_queue, kernel, work_dim, global_work_offset, global_work_size, local_work_size,
         num_events_in_wait_list, event_wait_list, event))
FORWARD(cl_int, clEnqueueReadBuffer,
        (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset,
         size_t size, void* ptr, cl_uint num_events_in_wait_list, const cl_event* event_wait_list,
         cl_event* event),
        (command_queue, buffer, blocking_read, offset, size, ptr, num_events_in_wait_list,
         event_wait_list, event))
FORWARD(cl_int, clEnqueueReadBufferRect,
        (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking,
         const size_t* buffer_origin, const size_t* host_origin, const size_t* region,
         size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
         size_t host_slice_pitch, void* ptr, cl_uint num_events_in_wait_list,
         const cl_event* event_wait_list, cl_event* event),
        (command_queue, buffer, blocking, buffer_origin, host_origin, region, buffer_row_pitch,
         buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr, num_events_in_wait_list,
         event_wait_list, event))
FORWARD(cl_int, clEnqueueReadImage,
        (cl_command_queue command_queue, cl_mem image, cl_bool blocking_read, const size_t* origin,
         const size_t* region, size_t row_pitch, size_t slice_pitch, void* ptr,
         cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event),
        (command_queue, image, blocking_read, origin, region, row_pitch, slice_pitch, ptr,
         num_events_in_wait_list, event_wait_list, event))
FORWARD(cl_int, clEnqueueUnmapMemObject,
        (cl_command_queue command_queue, cl_mem memobj, void* mapped_ptr,
         cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event),
        (command_queue, memobj, mapped_ptr, num_events_in_wait_list, event_wait_list, event))
FORWARD(cl_int, clEnqueueWaitForEvents,
        (cl_command_queue command_queue, cl_uint num_events, const cl_event* event_list),
        (command_queue, num_events, event_list))
FORWARD(cl_int, clEnqueueWriteBuffer,
        (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t offset,
         size_t size, const void* ptr, cl_uint num_events_in_wait_list,
         const cl_event* event_wait_list, cl_event* event),
        (command_queue, buffer, blocking_write, offset, size, ptr, num_events_in_wait_list,
         event_wait_list, event))
FORWARD(cl_int, clEnqueueWriteBufferRect,
        (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking,
         const size_t* buffer_origin, const size_t* host_origin, const size_t* region,
         size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
         size_t host_slice_pitch, const void* ptr, cl_uint num_events_in_wait_list,
         const cl_event* event_wait_list, cl_event* event),
        (command_queue, buffer, blocking, buffer_origin, host_origin, region, buffer_row_pitch,
         buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr, num_events_in_wait_list,
         event_wait_list, event))
FORWARD(cl_int, clEnqueueWriteImage,
        (cl_command_queue command_queue, cl_mem image, cl_bool blocking_write, const size_t* origin,
         const size_t* region, size_t input_row_pitch, size_t input_slice_pitch, const void* ptr,
         cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_event* event),
        (command_queue, image, blocking_write, origin, region, input_row_pitch, input_slice_pitch,
         ptr, num_events_in_wait_list, event_wait_list, event))
FORWARD(cl_int, clFinish, (cl_command_queue command_queue), (command_queue))
FORWARD(cl_int, clFlush, (cl_command_queue command_queue), (command_queue))
FORWARD(cl_int, clGetCommandQueueInfo,
        (cl_command_queue command_queue, cl_command_queue_info param_name, size_t param_value_size,
         void* param_value, size_t* param_value_size_ret),
        (command_queue, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clGetContextInfo,
        (cl_context context, cl_context_info param_name, size_t param_value_size, void* param_value,
         size_t* param_value_size_ret),
        (context, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clGetDeviceIDs,
        (cl_platform_id platform, cl_device_type device_type, cl_uint num_entries,
         cl_device_id* devices, cl_uint* num_devices),
        (platform, device_type, num_entries, devices, num_devices))
FORWARD(cl_int, clGetDeviceInfo,
        (cl_device_id device, cl_device_info param_name, size_t param_value_size, void* param_value,
         size_t* param_value_size_ret),
        (device, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clGetEventInfo,
        (cl_event event, cl_event_info param_name, size_t param_value_size, void* param_value,
         size_t* param_value_size_ret),
        (event, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clGetEventProfilingInfo,
        (cl_event event, cl_profiling_info param_name, size_t param_value_size, void* param_value,
         size_t* param_value_size_ret),
        (event, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clGetKernelInfo,
        (cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size, void* param_value,
         size_t* param_value_size_ret),
        (kernel, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clGetKernelWorkGroupInfo,
        (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param_name,
         size_t param_value_size, void* param_value, size_t* param_value_size_ret),
        (kernel, device, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clGetMemObjectInfo,
        (cl_mem memobj, cl_mem_info param_name, size_t param_value_size, void* param_value,
         size_t* param_value_size_ret),
        (memobj, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clGetPlatformIDs,
        (cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms),
        (num_entries, platforms, num_platforms))
FORWARD(cl_int, clGetPlatformInfo,
        (cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
         void* param_value, size_t* param_value_size_ret),
        (platform, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clGetProgramBuildInfo,
        (cl_program program, cl_device_id device, cl_program_build_info param_name,
         size_t param_value_size, void* param_value, size_t* param_value_size_ret),
        (program, device, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clGetProgramInfo,
        (cl_program program, cl_program_info param_name, size_t param_value_size, void* param_value,
         size_t* param_value_size_ret),
        (program, param_name, param_value_size, param_value, param_value_size_ret))
FORWARD(cl_int, clReleaseCommandQueue, (cl_command_queue command_queue), (command_queue))
FORWARD(cl_int, clReleaseContext, (cl_context context), (context))
FORWARD(cl_int, clReleaseEvent, (cl_event event), (event))
FORWARD(cl_int, clReleaseKernel, (cl_kernel kernel), (kernel))
FORWARD(cl_int, clReleaseMemObject, (cl_mem memobj), (memobj))
FORWARD(cl_int, clReleaseProgram, (cl_program program), (program))
FORWARD(cl_int, clRetainCommandQueue, (cl_command_queue command_queue), (command_queue))
FORWARD(cl_int, clRetainContext, (cl_context context), (context))
FORWARD(cl_int, clRetainEvent, (cl_event event), (event))
FORWARD(cl_int, clRetainKernel, (cl_kernel kernel), (kernel))
FORWARD(cl_int, clRetainMemObject, (cl_mem memobj), (memobj))
FORWARD(cl_int, clRetainProgram, (cl_program program), (program))
FORWARD(cl_int, clSetEventCallback,
        (cl_event event, cl_int command_exec_callback_type,
         void(CL_CALLBACK* pfn_notify)(cl_event event, cl_int event_command_status,
                                       void* user_data),
         void* user_data),
        (event, command_exec_callback_type, pfn_notify, user_data))
FORWARD(cl_int, clSetKernelArg,
        (cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void* arg_value),
        (kernel, arg_index, arg_size, arg_value))
FORWARD(cl_int, clWaitForEvents, (cl_uint num_events, const cl_event* event_list),
        (num_events, event_list))

// Functions of OpenCL 1.2. Loaders of OpenCL 1.1 lack them, even if the driver is newer.

// Devices listed by a platform have no reference count.
DEFINE(cl_int, clRetainDevice, (cl_device_id device)) {
  const auto function = opencl_functions().clRetainDevice;
  return function == nullptr ? CL_SUCCESS : function(device);
}

DEFINE(cl_int, clReleaseDevice, (cl_device_id device)) {
  const auto function = opencl_functions().clReleaseDevice;
  return function == nullptr ? CL_SUCCESS : function(device);
}

DEFINE(cl_mem, clCreateImage,
       (cl_context context, cl_mem_flags flags, const cl_image_format* image_format,
        const cl_image_desc* image_desc, void* host_ptr, cl_int* errcode_ret)) {
  if (const auto function = opencl_functions().clCreateImage) {
    return function(context, flags, image_format, image_desc, host_ptr, errcode_ret);
  }
  if (image_desc == nullptr || image_desc->image_type != CL_MEM_OBJECT_IMAGE2D) {
    return no_object<cl_mem>(errcode_ret);
  }
  return clCreateImage2D(context, flags, image_format, image_desc->image_width,
                         image_desc->image_height, image_desc->image_row_pitch, host_ptr,
                         errcode_ret);
}

DEFINE(cl_int, clEnqueueMarkerWithWaitList,
       (cl_command_queue command_queue, cl_uint num_events_in_wait_list,
        const cl_event* event_wait_list, cl_event* event)) {
  if (const auto function = opencl_functions().clEnqueueMarkerWithWaitList) {
    return function(command_queue, num_events_in_wait_list, event_wait_list, event);
  }
  if (num_events_in_wait_list > 0) {
    const cl_int code =
        clEnqueueWaitForEvents(command_queue, num_events_in_wait_list, event_wait_list);
    if (code != CL_SUCCESS) return code;
  }
  return clEnqueueMarker(command_queue, event);
}
#undef CREATE
#undef FORWARD
#undef DEFINE
#undef TILEWRIGHT_OPENCL_VISIBILITY
// NOLINTEND(bugprone-macro-parentheses)
