// Code that all OpenCL layers of the tests share.
//
// A layer is a library that the loader inserts between a program and the driver if the environment
// variable OPENCL_LAYERS names it. Each layer includes this file once. It defines the functions
// that the loader looks up; the loader's interface requires global state.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <algorithm>
#include <cstring>

// Defined by each layer.
const char* layer_name();
// Replaces entries of the driver's table by the layer's functions.
void replace_calls(cl_icd_dispatch& layer);

inline cl_icd_dispatch& driver() {
  static cl_icd_dispatch calls{};
  return calls;
}

// Returns a value from a query.
inline cl_int give(const void* value, size_t bytes, size_t value_size, void* to,
                   size_t* bytes_ret) {
  if (bytes_ret != nullptr) *bytes_ret = bytes;
  if (to == nullptr) return CL_SUCCESS;
  if (value_size < bytes) return CL_INVALID_VALUE;
  std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

#define TILEWRIGHT_EXPORT extern "C" __attribute__((visibility("default")))

TILEWRIGHT_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t value_size, void* to,
                                                    size_t* bytes_ret) {
  constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  if (name == CL_LAYER_API_VERSION)
    return give(&kVersion, sizeof kVersion, value_size, to, bytes_ret);
  if (name == CL_LAYER_NAME) {
    return give(layer_name(), std::strlen(layer_name()) + 1, value_size, to, bytes_ret);
  }
  return CL_INVALID_VALUE;
}

TILEWRIGHT_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch* target,
                                                 cl_uint* num_entries_ret,
                                                 const cl_icd_dispatch** layer) {
  if (target == nullptr || num_entries_ret == nullptr || layer == nullptr) return CL_INVALID_VALUE;
  static cl_icd_dispatch calls{};
  // Loaders of other versions have a different number of functions; new ones are at the end.
  constexpr std::size_t kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
  const std::size_t entries = std::min<std::size_t>(num_entries, kEntries);
  std::memcpy(&driver(), target, entries * sizeof(void*));
  calls = driver();
  replace_calls(calls);
  *num_entries_ret = static_cast<cl_uint>(entries);
  *layer = &calls;
  return CL_SUCCESS;
}
