#include "runtime/call/operand_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "runtime/call/buffer_alignment.hpp"
#include "runtime/call/gemm_problem.hpp"
#include "runtime/call/opencl_error.hpp"

namespace tilewright {

CallerMemory workspace_memory() {
  return {"the workspace", TW_INVALID_WORKSPACE, TW_INSUFFICIENT_WORKSPACE};
}

void check_element_type(ElementType type) {
  if (is_complex(type) || to_element_type(element_precision(type)) == type) return;
  throw Error(
      TW_INVALID_VALUE,
      fmt::format(
          "element type {} is not one of float (0), double (1), half (2), complex float (3), "
          "complex double (4)",
          static_cast<int>(type)));
}

void check_order(Order order) {
  if (order == Order::kRowMajor || order == Order::kColumnMajor) return;
  throw Error(TW_INVALID_VALUE,
              fmt::format("layout {} is neither row-major (101) nor column-major (102)",
                          static_cast<int>(order)));
}

void check_transpose(const char* name, Transpose value) {
  if (value == Transpose::kNo || value == Transpose::kYes || value == Transpose::kConjugate) return;
  throw Error(
      TW_INVALID_VALUE,
      fmt::format(
          "{} {} is not one of no-transpose (111), transpose (112), conjugate transpose (113)",
          name, static_cast<int>(value)));
}

void check_dimension(char name, std::size_t value, std::size_t most) {
  if (value <= most) return;
  throw Error(TW_INVALID_DIMENSION,
              fmt::format("{} is {}, but the maximum is {}", name, value, most));
}

void check_ld(const OperandRole& role, std::size_t ld) {
  const std::size_t least = std::max<std::size_t>(1, role.length);
  if (ld < least) {
    throw Error(role.bad_ld,
                fmt::format("{} of {} is {}, but must be at least {} for the matrix as stored",
                            role.distance, role.name, ld, least));
  }
  if (ld > role.max_ld) {
    throw Error(role.bad_ld, fmt::format("{} of {} is {}, but the maximum is {}", role.distance,
                                         role.name, ld, role.max_ld));
  }
}

namespace {

// The results of kernels that read or write a buffer against its flags are undefined.
void check_access(const OperandRole& role, cl_mem_flags flags) {
  const auto refuse = [&](const char* flag, const char* use) {
    throw Error(role.bad_buffer,
                fmt::format("the buffer of {} is {}, but the call {} it; create it with "
                            "CL_MEM_READ_WRITE",
                            role.name, flag, use));
  };
  if (role.is_read && (flags & CL_MEM_WRITE_ONLY) != 0) refuse("CL_MEM_WRITE_ONLY", "reads");
  if (role.is_written && (flags & CL_MEM_READ_ONLY) != 0) refuse("CL_MEM_READ_ONLY", "writes");
}

}  // namespace

void check_buffer(const OperandRole& role, const Matrix& matrix, cl_context context) {
  const cl_mem buffer = matrix.buffer();
  if (buffer == nullptr) {
    throw Error(role.bad_buffer, fmt::format("the buffer of {} is null", role.name));
  }
  cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
  cl_context owner = nullptr;
  cl_mem_flags flags = 0;
  std::size_t bytes = 0;
  cl_int code = CL_SUCCESS;
  const auto query = [&](cl_mem_info name, auto& value) {
    if (code == CL_SUCCESS) code = clGetMemObjectInfo(buffer, name, sizeof(value), &value, nullptr);
  };
  query(CL_MEM_TYPE, type);
  query(CL_MEM_CONTEXT, owner);
  query(CL_MEM_FLAGS, flags);
  query(CL_MEM_SIZE, bytes);
  if (code != CL_SUCCESS) {
    throw Error(role.bad_buffer,
                fmt::format("the buffer of {} is not a memory object: {}", role.name,
                            opencl_code_text(code)),
                code);
  }
  if (type != CL_MEM_OBJECT_BUFFER) {
    throw Error(role.bad_buffer, fmt::format("{} is an image, not a buffer", role.name));
  }
  if (owner != context) {
    throw Error(
        role.bad_buffer,
        fmt::format("the buffer of {} belongs to another context than the library", role.name));
  }
  check_access(role, flags);
  if (role.lines == 0 || role.length == 0) return;
  // All factors are below 2^31, so the product cannot overflow. The sum stays at the largest number
  // if the offset is absurd.
  const std::uint64_t matrix_elements =
      static_cast<std::uint64_t>(role.lines - 1) * matrix.ld + role.length;
  const std::uint64_t max_offset = std::numeric_limits<std::uint64_t>::max() - matrix_elements;
  const std::uint64_t needed = std::min<std::uint64_t>(matrix.offset, max_offset) + matrix_elements;
  const std::uint64_t elements = bytes / role.element_bytes;
  if (elements < needed) {
    throw Error(role.short_buffer,
                fmt::format("the buffer of {} has {} elements, but needs {} (offset {} + {})",
                            role.name, elements, needed, matrix.offset, matrix_elements));
  }
}

void check_caller_memory(const CallerMemory& memory, const cl::Buffer& buffer, std::size_t offset,
                         std::size_t bytes, std::size_t element_bytes, cl_context context) {
  if (offset % kMemoryMultiple != 0) {
    throw Error(memory.bad_buffer,
                fmt::format("the offset of {} is {} bytes, but must be a multiple of {}",
                            memory.name, offset, kMemoryMultiple));
  }
  OperandRole role{memory.name, "size", memory.bad_buffer, memory.bad_buffer, memory.short_buffer};
  role.is_written = true;
  check_buffer(role, {buffer, 0, 0}, context);
  const std::size_t size = buffer.getInfo<CL_MEM_SIZE>();
  const bool fits = offset <= size && bytes <= size - offset;
  if (bytes > 0 && !fits) {
    throw Error(memory.short_buffer,
                fmt::format("the buffer of {} has {} bytes, but needs offset {} + {} bytes",
                            memory.name, size, offset, bytes));
  }
  if (buffer_alignment(buffer(), element_bytes) % kWidestVector == 0) return;
  throw Error(
      memory.bad_buffer,
      fmt::format("the buffer of {} starts at an address that is not a multiple of {} bytes; align "
                  "it, or use a buffer without CL_MEM_USE_HOST_PTR",
                  memory.name, std::min(kWidestVector * element_bytes, kDriverAlignment)));
}

}  // namespace tilewright
