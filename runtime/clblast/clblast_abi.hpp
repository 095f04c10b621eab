// Which part of CLBlast's binary interface does the drop-in serve?
//
// Declared here and not taken from CLBlast's headers, so that the drop-in builds without them.
// Names, numbers and argument types are those of CLBlast 1.x: all of it is in the mangled names.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <cstddef>

#define TW_CLBLAST_API __attribute__((visibility("default")))

namespace clblast {

// OpenCL's own codes may occur, too, even where CLBlast has no name for them.
enum class StatusCode {
  kSuccess = 0,
  kTempBufferAllocFailure = -4,
  kOpenCLOutOfHostMemory = -6,
  kOpenCLBuildProgramFailure = -11,
  kInvalidValue = -30,
  kInvalidCommandQueue = -36,
  kInvalidMatrixA = -1022,  // and B, C: one more each
  kInvalidMatrixB = -1021,
  kInvalidMatrixC = -1020,
  kInvalidDimension = -1017,
  kInvalidLeadDimA = -1016,
  kInvalidLeadDimB = -1015,
  kInvalidLeadDimC = -1014,
  kInsufficientMemoryA = -1011,
  kInsufficientMemoryB = -1010,
  kInsufficientMemoryC = -1009,
  kInvalidBatchCount = -2049,
  kDatabaseError = -2041,
  kUnknownError = -2040,
  kUnexpectedError = -2039,
};

enum class Layout { kRowMajor = 101, kColMajor = 102 };
enum class Transpose { kNo = 111, kYes = 112, kConjugate = 113 };

using std::size_t;

template <typename T>
StatusCode Gemm(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n,
                size_t k, T alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, cl_mem b_buffer,
                size_t b_offset, size_t b_ld, T beta, cl_mem c_buffer, size_t c_offset, size_t c_ld,
                cl_command_queue* queue, cl_event* event, cl_mem temp_buffer);

template <typename T>
StatusCode GemmStridedBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                              size_t n, size_t k, T alpha, cl_mem a_buffer, size_t a_offset,
                              size_t a_ld, size_t a_stride, cl_mem b_buffer, size_t b_offset,
                              size_t b_ld, size_t b_stride, T beta, cl_mem c_buffer,
                              size_t c_offset, size_t c_ld, size_t c_stride, size_t batch_count,
                              cl_command_queue* queue, cl_event* event);

template <typename T>
StatusCode GemmBatched(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                       size_t n, size_t k, const T* alphas, cl_mem a_buffer,
                       const size_t* a_offsets, size_t a_ld, cl_mem b_buffer,
                       const size_t* b_offsets, size_t b_ld, const T* betas, cl_mem c_buffer,
                       const size_t* c_offsets, size_t c_ld, size_t batch_count,
                       cl_command_queue* queue, cl_event* event);

template <typename T>
StatusCode GemmTempBufferSize(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m,
                              size_t n, size_t k, size_t a_offset, size_t a_ld, size_t b_offset,
                              size_t b_ld, size_t c_offset, size_t c_ld, cl_command_queue* queue,
                              size_t& temp_buffer_size);

// A caller's temporary buffer is ignored: the library keeps its own.
template <>
TW_CLBLAST_API StatusCode Gemm<float>(Layout layout, Transpose a_transpose, Transpose b_transpose,
                                      size_t m, size_t n, size_t k, float alpha, cl_mem a_buffer,
                                      size_t a_offset, size_t a_ld, cl_mem b_buffer,
                                      size_t b_offset, size_t b_ld, float beta, cl_mem c_buffer,
                                      size_t c_offset, size_t c_ld, cl_command_queue* queue,
                                      cl_event* event, cl_mem temp_buffer);

template <>
TW_CLBLAST_API StatusCode GemmStridedBatched<float>(
    Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n, size_t k,
    float alpha, cl_mem a_buffer, size_t a_offset, size_t a_ld, size_t a_stride, cl_mem b_buffer,
    size_t b_offset, size_t b_ld, size_t b_stride, float beta, cl_mem c_buffer, size_t c_offset,
    size_t c_ld, size_t c_stride, size_t batch_count, cl_command_queue* queue, cl_event* event);

template <>
TW_CLBLAST_API StatusCode
GemmBatched<float>(Layout layout, Transpose a_transpose, Transpose b_transpose, size_t m, size_t n,
                   size_t k, const float* alphas, cl_mem a_buffer, const size_t* a_offsets,
                   size_t a_ld, cl_mem b_buffer, const size_t* b_offsets, size_t b_ld,
                   const float* betas, cl_mem c_buffer, const size_t* c_offsets, size_t c_ld,
                   size_t batch_count, cl_command_queue* queue, cl_event* event);

// Answers 0.
template <>
TW_CLBLAST_API StatusCode GemmTempBufferSize<float>(Layout layout, Transpose a_transpose,
                                                    Transpose b_transpose, size_t m, size_t n,
                                                    size_t k, size_t a_offset, size_t a_ld,
                                                    size_t b_offset, size_t b_ld, size_t c_offset,
                                                    size_t c_ld, cl_command_queue* queue,
                                                    size_t& temp_buffer_size);

// Closes the libraries that are open; the next call opens again.
TW_CLBLAST_API StatusCode ClearCache();

// Compiles the kernels of common shapes into the binary cache on disk.
TW_CLBLAST_API StatusCode FillCache(cl_device_id device);

}  // namespace clblast
