/// @file
/// The part of CLBlast's binary interface that the drop-in implements.
///
/// It is declared here instead of in CLBlast's headers, so that the drop-in builds without them.
/// Names, numbers and argument types are those of CLBlast 1.x, because all of them are part of the
/// mangled names. Programs include CLBlast's own headers.
///
/// Offsets, leading dimensions and strides count elements. Products are enqueued on *queue; the
/// functions do not wait for them. Thread safety: every function may be called from any thread at
/// any time. The drop-in opens one library for each combination of context and device of the
/// queues, and keeps it until ClearCache().
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
/// The version of OpenCL that the drop-in uses.
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <unordered_map>

/// Marks exported functions.
#define TW_CLBLAST_API __attribute__((visibility("default")))

/// The implemented part of CLBlast's C++ interface.
namespace clblast {

/// Status codes, with CLBlast's numbers. OpenCL's own codes may be returned, too, even if CLBlast
/// has no name for them.
enum class StatusCode {
  kSuccess = 0,                      ///< success
  kTempBufferAllocFailure = -4,      ///< no device memory for a temporary
  kOpenCLOutOfHostMemory = -6,       ///< no host memory
  kOpenCLBuildProgramFailure = -11,  ///< the driver builds none of the suitable kernels
  kInvalidValue = -30,               ///< a null pointer, or an unknown layout or transpose
  kInvalidCommandQueue = -36,        ///< null
  kInvalidMatrixA = -1022,           ///< null, or of another context
  kInvalidMatrixB = -1021,           ///< the same for B
  kInvalidMatrixC = -1020,           ///< the same for C
  kInvalidVectorX = -1019,           ///< the same for x
  kInvalidVectorY = -1018,           ///< the same for y
  kInvalidDimension = -1017,         ///< m, n or k is 0 or too large, or the stride of C is 0
  kInvalidLeadDimA = -1016,          ///< less than the length of a row or column of A as stored
  kInvalidLeadDimB = -1015,          ///< the same for B
  kInvalidLeadDimC = -1014,          ///< the same for C
  kInvalidIncrementX = -1013,        ///< 0
  kInvalidIncrementY = -1012,        ///< 0
  kInsufficientMemoryA = -1011,      ///< the buffer ends before A does
  kInsufficientMemoryB = -1010,      ///< the buffer ends before B does
  kInsufficientMemoryC = -1009,      ///< the buffer ends before C does
  kInsufficientMemoryX = -1008,      ///< the buffer ends before x does
  kInsufficientMemoryY = -1007,      ///< the buffer ends before y does
  kNotImplemented = -1024,           ///< a function that only CLBlast has
  kInvalidBatchCount = -2049,        ///< 0
  kNoDoublePrecision = -2044,        ///< the device has no cl_khr_fp64
  kDatabaseError = -2041,            ///< the named profile cannot be used
  kUnknownError = -2040,             ///< OpenCL failed without an error code
  kUnexpectedError = -2039,          ///< an internal error of tilewright
  /// fork() made this process after the first call; CLBlast has no such code
  kForked = -2100
};

/// Storage order of A, B and C.
enum class Layout {
  kRowMajor = 101,  ///< the elements of a row are contiguous
  kColMajor = 102   ///< the elements of a column are contiguous
};

/// The operation op(X).
enum class Transpose {
  kNo = 111,        ///< X itself
  kYes = 112,       ///< its transpose
  kConjugate = 113  ///< its conjugate transpose; for real numbers the same as kYes
};

/// The element types of CLBlast's kernels.
enum class Precision {
  kHalf = 16,             ///< cl_half
  kSingle = 32,           ///< float
  kDouble = 64,           ///< double
  kComplexSingle = 3232,  ///< std::complex<float>
  kComplexDouble = 6464,  ///< std::complex<double>
  kAny = -1               ///< all of them
};

using std::size_t;

/// C = alpha op(A) op(B) + beta C.
/// @param layout, a_transpose, b_transpose  storage order of all matrices; op() of A and B
/// @param m, n, k  op(A) is m x k, op(B) is k x n, C is m x n
/// @param alpha, beta  beta = 0 never reads C
/// @param a_buffer, a_offset, a_ld  A
/// @param b_buffer, b_offset, b_ld  B
/// @param c_buffer, c_offset, c_ld  C, which must not overlap A or B
/// @param queue  the queue for the product
/// @param event  if not null, receives the event that completes when C is written; the
/// caller must release it
/// @param temp_buffer  ignored: the library has its own temporaries
/// @return kSuccess, or an error code; in this case nothing is enqueued
/// @tparam T  float, double, cl_half, std::complex<float> or std::complex<double>
template <typename T>
TW_CLBLAST_API StatusCode Gemm(Layout layout, Transpose a_transpose, Transpose b_transpose,
                               size_t m, size_t n, size_t k, T alpha, cl_mem a_buffer,
                               size_t a_offset, size_t a_ld, cl_mem b_buffer, size_t b_offset,
                               size_t b_ld, T beta, cl_mem c_buffer, size_t c_offset, size_t c_ld,
                               cl_command_queue* queue, cl_event* event, cl_mem temp_buffer);

/// Several products of one shape with one event: the i-th A starts at a_offset + i * a_stride, and
/// likewise B and C.
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
/// @return kSuccess, or an error code; in this case nothing is enqueued
/// @tparam T  float, double, cl_half, std::complex<float> or std::complex<double>
template <typename T>
TW_CLBLAST_API StatusCode GemmStridedBatched(
    Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n, size_t k,
    T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, size_t a_stride, cl_mem b_buffer,
    size_t b_offset, size_t b_ld, size_t b_stride, T beta, cl_mem c_buffer, size_t c_offset,
    size_t c_ld, size_t c_stride, size_t batch_count, cl_command_queue* queue, cl_event* event);

/// Several products of one shape with one event: the i-th A starts at a_offsets[i], and likewise B
/// and C. Lists have batch_count elements and are read before the call returns.
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
/// @return kSuccess, or an error code; in this case nothing is enqueued
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
/// @param layout, a_transpose  storage order of A; op() of A
/// @param m, n  extents of A, without op()
/// @param alpha, beta  beta = 0 never reads y
/// @param a_buffer, a_offset, a_ld  A
/// @param x_buffer, x_offset, x_inc  x, and the distance between its elements
/// @param y_buffer, y_offset, y_inc  y, which must not overlap A or x
/// @param queue  the queue for the product
/// @param event  if not null, receives the event that completes when y is written; the
/// caller must release it
/// @return kSuccess, or an error code; in this case nothing is enqueued
/// @tparam T  float, double, cl_half, std::complex<float> or std::complex<double>
template <typename T>
TW_CLBLAST_API StatusCode Gemv(Layout layout, Transpose a_transpose, size_t m, size_t n, T alpha,
                               cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem x_buffer,
                               size_t x_offset, size_t x_inc, T beta, cl_mem y_buffer,
                               size_t y_offset, size_t y_inc, cl_command_queue* queue,
                               cl_event* event);

/// The size of the temporary buffer that Gemm needs, which is 0.
/// @param layout, a_transpose, b_transpose  storage order of all matrices; op() of A and B
/// @param m, n, k  op(A) is m x k, op(B) is k x n, C is m x n
/// @param a_offset, a_ld, b_offset, b_ld, c_offset, c_ld  of the matrices
/// @param queue  ignored
/// @param temp_buffer_size  set to 0
/// @return kSuccess
/// @tparam T  float, double, cl_half, std::complex<float> or std::complex<double>
template <typename T>
TW_CLBLAST_API StatusCode GemmTempBufferSize(Layout layout, Transpose a_transpose,
                                             Transpose b_transpose, size_t m, size_t n, size_t k,
                                             size_t a_offset, size_t a_ld, size_t b_offset,
                                             size_t b_ld, size_t c_offset, size_t c_ld,
                                             cl_command_queue* queue, size_t& temp_buffer_size);

/// B = alpha op(A), out of place, which only CLBlast itself computes.
/// @param layout, a_transpose, m, n, alpha, a_buffer, a_offset, a_ld  see CLBlast
/// @param b_buffer, b_offset, b_ld, queue, event  see CLBlast
/// @return the status of CLBlast's function if CLBlast is loaded, too; otherwise kNotImplemented
/// @tparam T  float, double, cl_half, std::complex<float> or std::complex<double>
template <typename T>
TW_CLBLAST_API StatusCode Omatcopy(Layout layout, Transpose a_transpose, size_t m, size_t n,
                                   T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld,
                                   cl_mem b_buffer, size_t b_offset, size_t b_ld,
                                   cl_command_queue* queue, cl_event* event);

/// Closes all open libraries. The next call opens one again. If CLBlast is loaded, too, its cache
/// is cleared as well.
/// @return kSuccess, or the status of CLBlast's function
TW_CLBLAST_API StatusCode ClearCache();

/// Compiles the kernels of common shapes into the binary cache on disk.
/// @param device  the device of the kernels
/// @return kSuccess, kInvalidValue for a null device, or an error code
TW_CLBLAST_API StatusCode FillCache(cl_device_id device);

/// Sets parameters of CLBlast's kernels, which the drop-in does not have.
/// @param device, kernel_name, precision, parameters  see CLBlast
/// @return the status of CLBlast's function if CLBlast is loaded, too; otherwise kNotImplemented
TW_CLBLAST_API StatusCode
OverrideParameters(cl_device_id device, const std::string& kernel_name, Precision precision,
                   const std::unordered_map<std::string, size_t>& parameters);

}  // namespace clblast
