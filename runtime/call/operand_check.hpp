// Which arguments of a call are refused, and with which status?
#pragma once

#include <cstddef>
#include <string>

#include <tilewright/library.hpp>

namespace tilewright {

// Status codes and extents that belong to one operand.
struct OperandRole {
  std::string name;
  const char* distance;  // what the distance of its lines is called
  tw_status bad_ld;
  tw_status bad_buffer;
  tw_status short_buffer;
  std::size_t lines;   // rows (row-major) or columns (column-major) as stored; elements of a vector
  std::size_t length;  // elements of one line; 1 of a vector
  std::size_t element_bytes;
  std::size_t most_ld;
};

// Each throws Error.
void check_element_type(ElementType type);
void check_order(Order order);
void check_transpose(const char* name, Transpose value);
void check_dimension(char name, std::size_t value, std::size_t most);
void check_ld(const OperandRole& role, std::size_t ld);
// That the buffer belongs to the context and holds the operand.
void check_buffer(const OperandRole& role, const Matrix& matrix, cl_context context);

}  // namespace tilewright
