// Known alignment of the start of a buffer.
#pragma once

#include "runtime/opencl/clhpp.hpp"

#include <cstddef>

namespace tilewright {

// Memory that a driver allocates is aligned for the largest OpenCL vector type.
inline constexpr std::size_t kDriverAlignment = 128;  // bytes

// Returns the largest power of two, in elements, of which the address of the buffer's first byte is
// known to be a multiple; 0 if it is aligned for every vector, and 1 if the address is not even a
// multiple of an element. Memory of the application (CL_MEM_USE_HOST_PTR) starts where the
// application allocated it; a sub-buffer starts at its origin. Returns 0 for null buffers, which a
// plan may have, and for buffers that OpenCL does not know.
std::size_t buffer_alignment(cl_mem buffer, std::size_t element_bytes);

// Alignment, in elements, of an address `bytes_past` bytes after one aligned to kDriverAlignment.
std::size_t alignment_in_elements(std::size_t bytes_past, std::size_t element_bytes);

}  // namespace tilewright
