// A layer that simulates a device that cannot time its commands.
//
// As with Mesa's Rusticl on GPUs without timestamps, queues with profiling are rejected. With
// TILEWRIGHT_TIMERS=claimed in the environment, devices nevertheless report profiling support.
#include "layer.hpp"

#include <cstdlib>
#include <string>

namespace {

cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t value_size,
                               void* to, size_t* bytes_ret) {
  const char* claimed = std::getenv("TILEWRIGHT_TIMERS");
  if (name != CL_DEVICE_QUEUE_PROPERTIES || (claimed != nullptr && *claimed != '\0')) {
    return driver().clGetDeviceInfo(device, name, value_size, to, bytes_ret);
  }
  cl_command_queue_properties properties = 0;
  driver().clGetDeviceInfo(device, name, sizeof properties, &properties, nullptr);
  properties &= ~cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE};
  return give(&properties, sizeof properties, value_size, to, bytes_ret);
}

cl_command_queue refused(cl_int* code) {
  if (code != nullptr) *code = CL_INVALID_QUEUE_PROPERTIES;
  return nullptr;
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties, cl_int* code) {
  if ((properties & CL_QUEUE_PROFILING_ENABLE) != 0) return refused(code);
  return driver().clCreateCommandQueue(context, device, properties, code);
}

cl_command_queue CL_API_CALL create_queue_with(cl_context context, cl_device_id device,
                                               const cl_queue_properties* properties,
                                               cl_int* code) {
  for (const cl_queue_properties* p = properties; p != nullptr && *p != 0; p += 2) {
    if (*p == CL_QUEUE_PROPERTIES && (p[1] & CL_QUEUE_PROFILING_ENABLE) != 0) return refused(code);
  }
  return driver().clCreateCommandQueueWithProperties(context, device, properties, code);
}

}  // namespace

const char* layer_name() {
  return "tilewright no timers";
}

void replace_calls(cl_icd_dispatch& layer) {
  layer.clGetDeviceInfo = device_info;
  layer.clCreateCommandQueue = create_queue;
  layer.clCreateCommandQueueWithProperties = create_queue_with;
}
