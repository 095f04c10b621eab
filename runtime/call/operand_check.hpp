// Checks of the arguments of a call, and the status code for each.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/call/gemm_call.hpp"

namespace tilewright {

// Names, extents and status codes of one operand.
struct OperandRole {
  std::string name;
  const char* distance;  // name of the leading dimension or increment in messages
  tw_status bad_ld;
  tw_status bad_buffer;
  tw_status short_buffer;
  // Rows (row-major) or columns (column-major) as stored; elements of a vector.
  std::size_t lines = 0;
  std::size_t length = 0;  // elements per line; 1 for a vector
  std::size_t element_bytes = 0;
  std::size_t max_ld = 0;
  bool is_read = true;
  bool is_written = false;
};

// Memory of the caller that is not a matrix of the call, such as a workspace.
struct CallerMemory {
  std::string name;
  tw_status bad_buffer;
  tw_status short_buffer;
};
CallerMemory workspace_memory();

// All check functions throw Error.
void check_element_type(ElementType type);
void check_order(Order order);
void check_transpose(const char* name, Transpose value);
void check_dimension(char name, std::size_t value, std::size_t most);
void check_ld(const OperandRole& role, std::size_t ld);
// Checks that the buffer belongs to the context, allows what the call does with it, and contains
// the operand.
void check_buffer(const OperandRole& role, const Matrix& matrix, cl_context context);
// Checks that the buffer belongs to the context, can be read and written, has so many bytes after
// the offset, and that its start and the offset are aligned for every vector of elements.
void check_caller_memory(const CallerMemory& memory, const cl::Buffer& buffer, std::size_t offset,
                         std::size_t bytes, std::size_t element_bytes, cl_context context);

}  // namespace tilewright
