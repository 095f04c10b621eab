/// @file
/// Which part of CLBlast's binary interface does the drop-in serve?
///
/// Declared here and not taken from CLBlast's headers, so that the drop-in builds without them.
/// Names, numbers and argument types are those of CLBlast 1.x: all of it is in the mangled names.
/// Programs include CLBlast's headers.
///
/// Offsets, leading dimensions and strides count elements. Products are enqueued on *queue
/// and not waited for. Thread safety: every function may be called from any thread at any time; the
/// drop-in opens one library for each context and device that a queue belongs to, and keeps it
/// until ClearCache().
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
/// Which OpenCL the drop-in is written for.
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <cstddef>

/// Marks what the drop-in shows.
#define TW_CLBLAST_API __attribute__((visibility("default")))

/// CLBlast's C++ interface, as far as it is served.
namespace clblast {

/// What became of a call: CLBlast's numbers. OpenCL's own codes may occur, too, even where CLBlast
/// has no name for them.
enum class StatusCode {
  kSuccess = 0,                      ///< all is well
  kTempBufferAllocFailure = -4,      ///< no device memory for a temporary
  kOpenCLOutOfHostMemory = -6,       ///< no host memory
  kOpenCLBuildProgramFailure = -11,  ///< the driver builds none of the kernels that could serve
  kInvalidValue = -30,               ///< a null pointer, an unknown layout or transpose
  kInvalidCommandQueue = -36,        ///< null
  kInvalidMatrixA = -1022,           ///< null, or of another context
  kInvalidMatrixB = -1021,           ///< the same of B
  kInvalidMatrixC = -1020,           ///< the same of C
  kInvalidVectorX = -1019,           ///< the same of x
  kInvalidVectorY = -1018,           ///< the same of y
  kInvalidDimension = -1017,         ///< m, n or k is 0 or too large, or C has a stride of 0
  kInvalidLeadDimA = -1016,          ///< below the length of a row or column of A as stored
  kInvalidLeadDimB = -1015,          ///< the same of B
  kInvalidLeadDimC = -1014,          ///< the same of C
  kInvalidIncrementX = -1013,        ///< 0
  kInvalidIncrementY = -1012,        ///< the same of y
  kInsufficientMemoryA = -1011,      ///< the buffer ends before A does
  kInsufficientMemoryB = -1010,      ///< the buffer ends before B does
  kInsufficientMemoryC = -1009,      ///< the buffer ends before C does
  kInsufficientMemoryX = -1008,      ///< the buffer ends before x does
  kInsufficientMemoryY = -1007,      ///< the buffer ends before y does
  kInvalidBatchCount = -2049,        ///< no products
  kNoDoublePrecision = -2044,        ///< the device has no cl_khr_fp64
  kDatabaseError = -2041,            ///< the profile that was named is of no use
  kUnknownError = -2040,             ///< OpenCL failed, and does not say how
  kUnexpectedError = -2039,          ///< a fault of tilewright's own
};

/// How A, B and C lie in memory.
enum class Layout {
  kRowMajor = 101,  ///< a row's elements follow one another
  kColMajor = 102   ///< a column's do
};

/// What op(X) is.
enum class Transpose {
  kNo = 111,        ///< X itself
  kYes = 112,       ///< its transpose
  kConjugate = 113  ///< its conjugate transpose; of real numbers the same as kYes
};

using std::size_t;

/// C = alpha op(A) op(B) + beta C.
/// @param layout, a_transpose, b_transpose  of all three matrices, op(A), op(B)
/// @param m, n, k  op(A) is m x k, op(B) is k x n, C is m x n
/// @param alpha, beta  beta = 0 never reads C
/// @param a_buffer, a_offset, a_ld  A
/// @param b_buffer, b_offset, b_ld  B
/// @param c_buffer, c_offset, c_ld  C, which must not overlap A or B
/// @param queue  where the product is enqueued
/// @param event  if not null, gets the event that completes when C is written; the caller's to
/// release
/// @param temp_buffer  ignored: the library keeps temporaries of its own
/// @return kSuccess, or what is wrong; nothing is enqueued then
/// @tparam T  float, double, cl_half, std::complex<float> or std::complex<double>
template <typename T>
TW_CLBLAST_API StatusCode Gemm(Layout layout, Transpose a_transpose, Transpose b_transpose,
                               size_t m, size_t n, size_t k, T alpha, cl_mem a_buffer,
                               size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset,
                               size_t b_ld, T beta, cl_mem c_buffer, size_t c_offset, size_t c_ld,
                               cl_command_queue* queue, cl_event* event, cl_mem temp_buffer);

/// Many products of one shape with one event: the i-th A begins at a_offset + i * a_stride, and so
/// on.
/// @param layout, a_transpose, b_transpose  of all three matrices, op(A), op(B)
/// @param m, n, k  op(A) is m x k, op(B) is k x n, C is m x n
/// @param alpha, beta  of all products
/// @param a_buffer, a_offset, a_ld, a_stride  the As
/// @param b_buffer, b_offset, b_ld, b_stride  the Bs
/// @param c_buffer, c_offset, c_ld, c_stride  the Cs, none of which may overlap another matrix
/// @param batch_count  products; at least 1
/// @param queue  where the products are enqueued
/// @param event  if not null, gets the event that completes when all are done; the caller's to
/// release
/// @return kSuccess, or what is wrong; nothing is enqueued then
/// @tparam T  float, double, cl_half, std::complex<float> or std::complex<double>
template <typename T>
TW_CLBLAST_API StatusCode GemmStridedBatched(
    Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n, size_t k,
    T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, size_t a_stride, cl_mem b_buffer,
    size_t b_offset, size_t b_ld, size_t b_stride, T beta, cl_mem c_buffer, size_t c_offset,
    size_t c_ld, size_t c_stride, size_t batch_count, cl_command_queue* queue, cl_event* event);

/// Many products of one shape with one event: the i-th A begins at a_offsets[i], and so on. Lists
/// have batch_count elements and are read before the call returns.
/// @param layout, a_transpose, b_transpose  of all three matrices, op(A), op(B)
/// @param m, n, k  op(A) is m x k, op(B) is k x n, C is m x n
/// @param alphas, betas  of each product
/// @param a_buffer, a_offsets, a_ld  the As
/// @param b_buffer, b_offsets, b_ld  the Bs
/// @param c_buffer, c_offsets, c_ld  the Cs, none of which may overlap another matrix
/// @param batch_count  products; at least 1
/// @param queue  where the products are enqueued
/// @param event  if not null, gets the event that completes when all are done; the caller's to
/// release
/// @return kSuccess, or what is wrong; nothing is enqueued then
/// @tparam T  float, double, cl_half, std::complex<float> or std::complex<double>
template <typename T>
TW_CLBLAST_API StatusCode GemmBatched(Layout layout, Transpose a_transpose, Transpose b_transpose,
                                      size_t m, size_t n, size_t k, const T* alphas,
                                      cl_mem a_buffer, const size_t* a_offsets, size_t a_ld,
                                      cl_mem b_buffer, const size_t* b_offsets, size_t b_ld,
                                      const T* betas, cl_mem c_buffer, const size_t* c_offsets,
                                      size_t c_ld, size_t batch_count, cl_command_queue* queue,
                                      cl_event* event);

/// y = alpha op(A) x + beta y.
/// @param layout, a_transpose  of A, op(A)
/// @param m, n  extents of A as it stands, without op()
/// @param alpha, beta  beta = 0 never reads y
/// @param a_buffer, a_offset, a_ld  A
/// @param x_buffer, x_offset, x_inc  x, and the distance of its elements
/// @param y_buffer, y_offset, y_inc  y, which must not overlap A or x
/// @param queue  where the product is enqueued
/// @param event  if not null, gets the event that completes when y is written; the caller's to
/// release
/// @return kSuccess, or what is wrong; nothing is enqueued then
/// @tparam T  float, double, cl_half, std::complex<float> or std::complex<double>
template <typename T>
TW_CLBLAST_API StatusCode Gemv(Layout layout, Transpose a_transpose, size_t m, size_t n, T alpha,
                               cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem x_buffer,
                               size_t x_offset, size_t x_inc, T beta, cl_mem y_buffer,
                               size_t y_offset, size_t y_inc, cl_command_queue* queue,
                               cl_event* event);

/// How large a temporary buffer does Gemm need? None.
/// @param layout, a_transpose, b_transpose  of all three matrices, op(A), op(B)
/// @param m, n, k  op(A) is m x k, op(B) is k x n, C is m x n
/// @param a_offset, a_ld, b_offset, b_ld, c_offset, c_ld  of the matrices
/// @param queue  where Gemm would be called
/// @param temp_buffer_size  becomes 0
/// @return kSuccess
/// @tparam T  float, double, cl_half, std::complex<float> or std::complex<double>
template <typename T>
TW_CLBLAST_API StatusCode GemmTempBufferSize(Layout layout, Transpose a_transpose,
                                             Transpose b_transpose, size_t m, size_t n, size_t k,
                                             size_t a_offset, size_t a_ld, size_t b_offset,
                                             size_t b_ld, size_t c_offset, size_t c_ld,
                                             cl_command_queue* queue, size_t& temp_buffer_size);

/// Closes the libraries that are open; the next call opens again.
/// @return kSuccess
TW_CLBLAST_API StatusCode ClearCache();

/// Compiles the kernels of common shapes into the binary cache on disk.
/// @param device  which they are for
/// @return kSuccess, kInvalidValue for a null device, or what failed
TW_CLBLAST_API StatusCode FillCache(cl_device_id device);

}  // namespace clblast
