// How well is the start of a buffer known to be aligned?
#pragma once

#include <CL/opencl.hpp>

#include <cstddef>

namespace tilewright {

// The start of memory that a driver allocates is aligned for the largest OpenCL vector type.
inline constexpr std::size_t kDriverAlignment = 128;  // bytes

// The power of two, in elements, that the address of the buffer's first byte is known to be a
// multiple of; 0 if it is aligned for every vector. Memory of the application's own
// (CL_MEM_USE_HOST_PTR) starts where the application allocated it, and a sub-buffer starts at its
// origin. 1 for an address that is not even a multiple of an element. Of a null buffer, which a
// plan may have, and of one that OpenCL does not know, nothing is known: 0.
std::size_t buffer_alignment(cl_mem buffer, std::size_t element_bytes);

// The same for a start so many bytes after an address aligned to kDriverAlignment.
std::size_t alignment_in_elements(std::size_t bytes_past, std::size_t element_bytes);

}  // namespace tilewright
