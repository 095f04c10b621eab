#include "runtime/call/buffer_alignment.hpp"

#include <algorithm>
#include <cstdint>

namespace tilewright {
namespace {

template <class Value>
bool query(cl_mem buffer, cl_mem_info what, Value& value) {
  return clGetMemObjectInfo(buffer, what, sizeof(value), &value, nullptr) == CL_SUCCESS;
}

}  // namespace

std::size_t alignment_in_elements(std::size_t bytes_past, std::size_t element_bytes) {
  const std::size_t past = bytes_past % kDriverAlignment;
  if (past == 0) return 0;
  const std::size_t bytes = past & (~past + 1);  // the lowest bit that is set
  return std::max<std::size_t>(1, bytes / element_bytes);
}

std::size_t buffer_alignment(cl_mem buffer, std::size_t element_bytes) {
  if (buffer == nullptr) return 0;
  cl_mem parent = nullptr;
  cl_mem_flags flags = 0;
  if (!query(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, parent)) return 0;
  std::size_t past = 0;
  if (parent != nullptr && !query(buffer, CL_MEM_OFFSET, past)) return 0;
  const cl_mem owner = parent == nullptr ? buffer : parent;
  if (query(owner, CL_MEM_FLAGS, flags) && (flags & CL_MEM_USE_HOST_PTR) != 0) {
    void* host = nullptr;
    if (query(owner, CL_MEM_HOST_PTR, host)) past += reinterpret_cast<std::uintptr_t>(host);
  }
  return alignment_in_elements(past, element_bytes);
}

}  // namespace tilewright
