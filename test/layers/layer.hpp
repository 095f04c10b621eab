// What do OpenCL layers have in common?
//
// A layer is a library that the loader puts between a program and the driver when the environment
// variable OPENCL_LAYERS names it. Included once by each: it has what the loader looks for, and as
// the loader wants it, its state is global.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <algorithm>
#include <cstring>

// Each layer's own.
const char* layer_name();
// Puts the layer's calls into the driver's places.
void replace_calls(cl_icd_dispatch& layer);

inline cl_icd_dispatch& driver() {
  static cl_icd_dispatch calls{};
  return calls;
}

// The answer to a query.
inline cl_int give(const void* value, size_t bytes, size_t room, void* to, size_t* bytes_ret) {
  if (bytes_ret != nullptr) *bytes_ret = bytes;
  if (to == nullptr) return CL_SUCCESS;
  if (room < bytes) return CL_INVALID_VALUE;
  std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

#define TILEWRIGHT_EXPORT extern "C" __attribute__((visibility("default")))

TILEWRIGHT_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t room, void* to,
                                                    size_t* bytes_ret) {
  constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  if (name == CL_LAYER_API_VERSION) return give(&kVersion, sizeof kVersion, room, to, bytes_ret);
  if (name == CL_LAYER_NAME) {
    return give(layer_name(), std::strlen(layer_name()) + 1, room, to, bytes_ret);
  }
  return CL_INVALID_VALUE;
}

TILEWRIGHT_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch* target,
                                                 cl_uint* num_entries_ret,
                                                 const cl_icd_dispatch** layer) {
  if (target == nullptr || num_entries_ret == nullptr || layer == nullptr) return CL_INVALID_VALUE;
  static cl_icd_dispatch calls{};
  // A loader of another version has another number of calls: new ones come last.
  constexpr std::size_t kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
  const std::size_t entries = std::min<std::size_t>(num_entries, kEntries);
  std::memcpy(&driver(), target, entries * sizeof(void*));
  calls = driver();
  replace_calls(calls);
  *num_entries_ret = static_cast<cl_uint>(entries);
  *layer = &calls;
  return CL_SUCCESS;
}
