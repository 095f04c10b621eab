/// @file
/// CLBlast's C interface for products of all its types. Its enumerations are ints with the values
/// of the C++ interface.
#include <complex>

#include "clblast_abi.hpp"

namespace {

using clblast::Layout;
using clblast::Transpose;
using std::size_t;

// Converts scalars of the C interface to C++. Complex types differ, but have the same bytes.
template <class Scalar>
Scalar to_scalar(Scalar scalar) {
  return scalar;
}
std::complex<float> to_scalar(cl_float2 scalar) {
  return {scalar.s[0], scalar.s[1]};
}
std::complex<double> to_scalar(cl_double2 scalar) {
  return {scalar.s[0], scalar.s[1]};
}
template <class Scalar>
const Scalar* to_scalars(const Scalar* scalars) {
  return scalars;
}
const std::complex<float>* to_scalars(const cl_float2* scalars) {
  return reinterpret_cast<const std::complex<float>*>(scalars);
}
const std::complex<double>* to_scalars(const cl_double2* scalars) {
  return reinterpret_cast<const std::complex<double>*>(scalars);
}

}  // namespace

extern "C" {

/// clblast::Gemm<float>.
/// @param layout, a_transpose, b_transpose  storage order of all matrices; op() of A and B
/// @param m, n, k  op(A) is m x k, op(B) is k x n, C is m x n
/// @param alpha, beta  beta = 0 never reads C
/// @param a_buffer, a_offset, a_ld  A
/// @param b_buffer, b_offset, b_ld  B
/// @param c_buffer, c_offset, c_ld  C, which must not overlap A or B
/// @param queue  the queue for the product
/// @param event  if not null, receives the event that completes when C is written; the
/// caller must release it
/// @return 0 (kSuccess), or an error code; in this case nothing is enqueued
TW_CLBLAST_API int CLBlastSgemm(int layout, int a_transpose, int b_transpose, size_t m, size_t n,
                                size_t k, float alpha, cl_mem a_buffer, size_t a_offset,
                                size_t a_ld, cl_mem b_buffer, size_t b_offset, size_t b_ld,
                                float beta, cl_mem c_buffer, size_t c_offset, size_t c_ld,
                                cl_command_queue* queue, cl_event* event) {
  return static_cast<int>(clblast::Gemm<float>(Layout{layout}, Transpose{a_transpose},
                                               Transpose{b_transpose}, m, n, k, alpha, a_buffer,
                                               a_offset, a_ld, b_buffer, b_offset, b_ld, beta,
                                               c_buffer, c_offset, c_ld, queue, event, nullptr));
}

/// clblast::GemmStridedBatched<float>.
/// @param layout, a_transpose, b_transpose  storage order of all matrices; op() of A and B
/// @param m, n, k  op(A) is m x k, op(B) is k x n, C is m x n
/// @param alpha, beta  the same for all products
/// @param a_buffer, a_offset, a_ld, a_stride  the A matrices
/// @param b_buffer, b_offset, b_ld, b_stride  the B matrices
/// @param c_buffer, c_offset, c_ld, c_stride  the C matrices, which must not overlap other matrices
/// @param batch_count  number of products, at least 1
/// @param queue  the queue for the products
/// @param event  if not null, receives the event that completes when all products are complete; the
/// caller must release it
/// @return 0 (kSuccess), or an error code; in this case nothing is enqueued
TW_CLBLAST_API int CLBlastSgemmStridedBatched(
    int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, float alpha,
    cl_mem a_buffer, size_t a_offset, size_t a_ld, size_t a_stride, cl_mem b_buffer,
    size_t b_offset, size_t b_ld, size_t b_stride, float beta, cl_mem c_buffer, size_t c_offset,
    size_t c_ld, size_t c_stride, size_t batch_count, cl_command_queue* queue, cl_event* event) {
  return static_cast<int>(clblast::GemmStridedBatched<float>(
      Layout{layout}, Transpose{a_transpose}, Transpose{b_transpose}, m, n, k, alpha, a_buffer,
      a_offset, a_ld, a_stride, b_buffer, b_offset, b_ld, b_stride, beta, c_buffer, c_offset, c_ld,
      c_stride, batch_count, queue, event));
}

/// clblast::GemmBatched<float>.
/// @param layout, a_transpose, b_transpose  storage order of all matrices; op() of A and B
/// @param m, n, k  op(A) is m x k, op(B) is k x n, C is m x n
/// @param alphas, betas  one for each product
/// @param a_buffer, a_offsets, a_ld  the A matrices
/// @param b_buffer, b_offsets, b_ld  the B matrices
/// @param c_buffer, c_offsets, c_ld  the C matrices, which must not overlap other matrices
/// @param batch_count  number of products, at least 1
/// @param queue  the queue for the products
/// @param event  if not null, receives the event that completes when all products are complete; the
/// caller must release it
/// @return 0 (kSuccess), or an error code; in this case nothing is enqueued
TW_CLBLAST_API int CLBlastSgemmBatched(int layout, int a_transpose, int b_transpose, size_t m,
                                       size_t n, size_t k, const float* alphas, cl_mem a_buffer,
                                       const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                                       const size_t* b_offsets, size_t b_ld, const float* betas,
                                       cl_mem c_buffer, const size_t* c_offsets, size_t c_ld,
                                       size_t batch_count, cl_command_queue* queue,
                                       cl_event* event) {
  return static_cast<int>(clblast::GemmBatched<float>(
      Layout{layout}, Transpose{a_transpose}, Transpose{b_transpose}, m, n, k, alphas, a_buffer,
      a_offsets, a_ld, b_buffer, b_offsets, b_ld, betas, c_buffer, c_offsets, c_ld, batch_count,
      queue, event));
}

/// clblast::Gemv<float>.
/// @param layout, a_transpose  storage order of A; op() of A
/// @param m, n  extents of A, without op()
/// @param alpha, beta  beta = 0 never reads y
/// @param a_buffer, a_offset, a_ld  A
/// @param x_buffer, x_offset, x_inc  x, and the distance between its elements
/// @param y_buffer, y_offset, y_inc  y, which must not overlap A or x
/// @param queue  the queue for the product
/// @param event  if not null, receives the event that completes when y is written; the
/// caller must release it
/// @return 0 (kSuccess), or an error code; in this case nothing is enqueued
TW_CLBLAST_API int CLBlastSgemv(int layout, int a_transpose, size_t m, size_t n, float alpha,
                                cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem x_buffer,
                                size_t x_offset, size_t x_inc, float beta, cl_mem y_buffer,
                                size_t y_offset, size_t y_inc, cl_command_queue* queue,
                                cl_event* event) {
  return static_cast<int>(clblast::Gemv<float>(Layout{layout}, Transpose{a_transpose}, m, n, alpha,
                                               a_buffer, a_offset, a_ld, x_buffer, x_offset, x_inc,
                                               beta, y_buffer, y_offset, y_inc, queue, event));
}

/// clblast::Omatcopy<float>.
/// @param layout, a_transpose, m, n, alpha, a_buffer, a_offset, a_ld  see CLBlast
/// @param b_buffer, b_offset, b_ld, queue, event  see CLBlast
/// @return the status of CLBlast's function if CLBlast is loaded, too; otherwise kNotImplemented
/// (-1024)
TW_CLBLAST_API int CLBlastSomatcopy(int layout, int a_transpose, size_t m, size_t n, float alpha,
                                    cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer,
                                    size_t b_offset, size_t b_ld, cl_command_queue* queue,
                                    cl_event* event) {
  return static_cast<int>(clblast::Omatcopy<float>(Layout{layout}, Transpose{a_transpose}, m, n,
                                                   alpha, a_buffer, a_offset, a_ld, b_buffer,
                                                   b_offset, b_ld, queue, event));
}

/// Defines the same functions for another type: CLBlast<letter>gemm and so on. Scalars of half
/// precision are passed as cl_half.
/// @param letter  the letter of the type in function names
/// @param S  the C type of scalars
/// @param T  the element type
#define TW_PRODUCTS_OF(letter, S, T)                                                               \
  TW_CLBLAST_API int CLBlast##letter##gemm(                                                        \
      int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, S alpha,         \
      cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset,             \
      size_t b_ld, S beta, cl_mem c_buffer, size_t c_offset, size_t c_ld, cl_command_queue* queue, \
      cl_event* event) {                                                                           \
    return static_cast<int>(                                                                       \
        clblast::Gemm<T>(Layout{layout}, Transpose{a_transpose}, Transpose{b_transpose}, m, n, k,  \
                         to_scalar(alpha), a_buffer, a_offset, a_ld, b_buffer, b_offset, b_ld,     \
                         to_scalar(beta), c_buffer, c_offset, c_ld, queue, event, nullptr));       \
  }                                                                                                \
                                                                                                   \
  TW_CLBLAST_API int CLBlast##letter##gemmStridedBatched(                                          \
      int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, S alpha,         \
      cl_mem a_buffer, size_t a_offset, size_t a_ld, size_t a_stride, cl_mem b_buffer,             \
      size_t b_offset, size_t b_ld, size_t b_stride, S beta, cl_mem c_buffer, size_t c_offset,     \
      size_t c_ld, size_t c_stride, size_t batch_count, cl_command_queue* queue,                   \
      cl_event* event) {                                                                           \
    return static_cast<int>(clblast::GemmStridedBatched<T>(                                        \
        Layout{layout}, Transpose{a_transpose}, Transpose{b_transpose}, m, n, k, to_scalar(alpha), \
        a_buffer, a_offset, a_ld, a_stride, b_buffer, b_offset, b_ld, b_stride, to_scalar(beta),   \
        c_buffer, c_offset, c_ld, c_stride, batch_count, queue, event));                           \
  }                                                                                                \
                                                                                                   \
  TW_CLBLAST_API int CLBlast##letter##gemmBatched(                                                 \
      int layout, int a_transpose, int b_transpose, size_t m, size_t n, size_t k, const S* alphas, \
      cl_mem a_buffer, const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,                      \
      const size_t* b_offsets, size_t b_ld, const S* betas, cl_mem c_buffer,                       \
      const size_t* c_offsets, size_t c_ld, size_t batch_count, cl_command_queue* queue,           \
      cl_event* event) {                                                                           \
    return static_cast<int>(clblast::GemmBatched<T>(                                               \
        Layout{layout}, Transpose{a_transpose}, Transpose{b_transpose}, m, n, k,                   \
        to_scalars(alphas), a_buffer, a_offsets, a_ld, b_buffer, b_offsets, b_ld,                  \
        to_scalars(betas), c_buffer, c_offsets, c_ld, batch_count, queue, event));                 \
  }                                                                                                \
                                                                                                   \
  TW_CLBLAST_API int CLBlast##letter##gemv(                                                        \
      int layout, int a_transpose, size_t m, size_t n, S alpha, cl_mem a_buffer, size_t a_offset,  \
      size_t a_ld, cl_mem x_buffer, size_t x_offset, size_t x_inc, S beta, cl_mem y_buffer,        \
      size_t y_offset, size_t y_inc, cl_command_queue* queue, cl_event* event) {                   \
    return static_cast<int>(clblast::Gemv<T>(                                                      \
        Layout{layout}, Transpose{a_transpose}, m, n, to_scalar(alpha), a_buffer, a_offset, a_ld,  \
        x_buffer, x_offset, x_inc, to_scalar(beta), y_buffer, y_offset, y_inc, queue, event));     \
  }                                                                                                \
                                                                                                   \
  TW_CLBLAST_API int CLBlast##letter##omatcopy(                                                    \
      int layout, int a_transpose, size_t m, size_t n, S alpha, cl_mem a_buffer, size_t a_offset,  \
      size_t a_ld, cl_mem b_buffer, size_t b_offset, size_t b_ld, cl_command_queue* queue,         \
      cl_event* event) {                                                                           \
    return static_cast<int>(clblast::Omatcopy<T>(Layout{layout}, Transpose{a_transpose}, m, n,     \
                                                 to_scalar(alpha), a_buffer, a_offset, a_ld,       \
                                                 b_buffer, b_offset, b_ld, queue, event));         \
  }

TW_PRODUCTS_OF(D, double, double)
TW_PRODUCTS_OF(H, cl_half, cl_half)
TW_PRODUCTS_OF(C, cl_float2, std::complex<float>)
TW_PRODUCTS_OF(Z, cl_double2, std::complex<double>)
#undef TW_PRODUCTS_OF

/// clblast::ClearCache.
/// @return 0
TW_CLBLAST_API int CLBlastClearCache() {
  return static_cast<int>(clblast::ClearCache());
}

/// clblast::FillCache.
/// @param device  the device of the kernels
/// @return 0, or an error code
TW_CLBLAST_API int CLBlastFillCache(cl_device_id device) {
  return static_cast<int>(clblast::FillCache(device));
}

}  // extern "C"
