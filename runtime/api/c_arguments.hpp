// Converts arguments of the C interface. All functions throw Error TW_INVALID_VALUE for arguments
// that Library and Plan cannot represent.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/api/c_call.hpp"
#include "runtime/api/library.hpp"
#include "runtime/api/plan.hpp"
#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// Copies a caller's structure of `size` bytes to `copy`, which has `copy_size` bytes and keeps its
// values beyond `size`. Members that this library does not have must be zero. `min_size` is the
// size in the first header that had the structure. Structures have no padding at their end
// (TW_ENDS_WITH), where the compiler would place new members inside an older structure.
void copy_struct(const std::string& name, const void* given, std::size_t size, std::size_t min_size,
                 void* copy, std::size_t copy_size);

// Fails to compile if a structure has padding after `member`, on systems of 32 and 64 bits.
#define TW_ENDS_WITH(Struct, member) \
  static_assert(sizeof(Struct) == offsetof(Struct, member) + sizeof(Struct::member))

// Returns a copy of a caller's structure, which starts with its size, struct_size. Members that the
// caller's header does not have keep their values in `defaults`.
template <class Struct>
Struct read_struct(const char* name, const Struct* given, std::size_t min_size,
                   const Struct& defaults) {
  if (given == nullptr) throw Error(TW_INVALID_VALUE, std::string(name) + " is null");
  Struct copy = defaults;
  copy_struct(name, given, given->struct_size, min_size, &copy, sizeof(copy));
  return copy;
}

tw_gemm_desc read_desc(const tw_gemm_desc* desc);
// For functions of one product: the scalars are those of the only product. Throws Error also for a
// batch.
tw_gemm_desc read_desc_of_one(const tw_gemm_desc* desc);

inline std::complex<double> to_scalar(const tw_scalar& scalar) {
  return {scalar.re, scalar.im};
}
GemmCall to_gemm_call(const tw_gemm_desc& desc);

// The first matrix (offset + offsets[0]), whose ld of 0 is replaced. Null: no buffer. Throws Error
// if it is packed; `name` is for its message.
Matrix to_matrix(const char* name, const tw_matrix* matrix, std::size_t dense_ld);
// The matrices of one product, likewise.
Matrices to_matrices(const GemmCall& call, const tw_matrix* a, const tw_matrix* b,
                     const tw_matrix* c);

// Memory of the caller. Null: none.
Workspace to_workspace(const tw_memory* memory);

// Enqueues the products of a descriptor. Throws Error like Library::gemm.
cl::Event enqueue_products(Library& library, const cl::CommandQueue& queue,
                           const tw_gemm_desc& desc, const tw_matrix* a, const tw_matrix* b,
                           const tw_matrix* c, const std::vector<cl::Event>& wait_list);

}  // namespace tilewright
