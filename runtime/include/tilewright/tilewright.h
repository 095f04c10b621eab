/** @file
 * Multiplies matrices on an OpenCL device with a tilewright profile (C interface).
 *
 *     tw_library *library = NULL;
 *     if (tw_open(context, device, NULL, &library) != TW_SUCCESS) puts(tw_last_error());
 *     tw_sgemm(library, queue, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, m, n, k,
 *              1.0f, a, 0, k, b, 0, n, 0.0f, c, 0, n, 0, NULL, &event);
 *     tw_close(library);
 *
 * Elements are of type float; double.h, half.h and complex.h have the functions for other types.
 * Matrices are in OpenCL buffers of the library's context. Offsets, leading dimensions and strides
 * count elements, not bytes.
 *
 * Errors: a function that can fail returns a tw_status; tw_last_error() then explains the error in
 * a sentence, and tw_last_opencl_code() returns the OpenCL code that caused it. If it fails,
 * nothing has been enqueued, unless OpenCL itself failed half-way. On failure *out is set to NULL
 * and *event is left unchanged.
 *
 * Thread safety: every function may be called from any thread at any time, also for the same
 * library. Only tw_close must be the last call for its library. Work that is already enqueued
 * completes after tw_close. */
#ifndef TILEWRIGHT_TILEWRIGHT_H
#define TILEWRIGHT_TILEWRIGHT_H

/* For any CL_TARGET_OPENCL_VERSION: the program chooses it, for all of its sources. */
#include <CL/cl.h>
#include <stddef.h>
#include <tilewright/export.h>

/* The version of this header, and of the library that it belongs to. CMakeLists.txt reads it. */
/** Changes if programs must be adapted. */
#define TW_VERSION_MAJOR 0
/** Changes with additions; before 1.0 programs may have to be adapted. */
#define TW_VERSION_MINOR 1
/** Changes with corrections. */
#define TW_VERSION_PATCH 0
/** The three numbers as one that can be compared: 10203 is 1.2.3. */
#define TW_VERSION (TW_VERSION_MAJOR * 10000 + TW_VERSION_MINOR * 100 + TW_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the version of the library that runs, which may be later than that of the header.
 *
 * @return a number like TW_VERSION */
TW_API int tw_version(void);

/** A library for one device of one context. Created by tw_open, freed by tw_close. */
typedef struct tw_library tw_library;

/** Storage order of A, B and C, as in BLAS. */
typedef enum TW_INT_ENUM {
  TW_ROW_MAJOR = 101,   /**< the elements of a row are contiguous; the leading dimension is the
                           distance between rows */
  TW_COLUMN_MAJOR = 102 /**< the elements of a column are contiguous; the leading dimension is the
                           distance between columns */
} tw_layout;

/** The operation op(X). */
typedef enum TW_INT_ENUM {
  TW_NO_TRANS = 111,  /**< X itself */
  TW_TRANS = 112,     /**< its transpose */
  TW_CONJ_TRANS = 113 /**< its conjugate transpose; for real numbers the transpose */
} tw_transpose;

/** Status codes. They are positive, so that they differ from OpenCL's codes, which are negative.
 * New statuses may be added within a group: treat an unknown status like another status of its
 * group. */
typedef enum TW_INT_ENUM {
  TW_SUCCESS = 0, /**< success */

  /* 1000 to 1999: the caller must fix an argument. tw_last_error() names it. */
  TW_INVALID_VALUE = 1000, /**< a null pointer, an unknown layout or transpose, a bad wait list */
  TW_INVALID_DIMENSION = 1010, /**< m, n or k is greater than 2,000,000,000 */
  TW_INVALID_QUEUE = 1020,     /**< null, or for another context or device than the library's */
  TW_UNSUPPORTED_TYPE = 1030,  /**< the device or the profile does not support the element type */
  TW_WRONG_LAYOUT =
      1040, /**< a matrix does not match the plan: it was packed for another operand, with other
               extents or in another layout, or it is less aligned than planned */
  TW_INVALID_LD_A = 1101, /**< lda is less than max(1, length of a row or column of A as stored), or
                             too large */
  TW_INVALID_LD_B = 1102, /**< the same for ldb */
  TW_INVALID_LD_C = 1103, /**< the same for ldc */
  TW_INVALID_BUFFER_A =
      1111, /**< A is read, and the buffer is null or belongs to another context */
  TW_INVALID_BUFFER_B = 1112,      /**< the same for B */
  TW_INVALID_BUFFER_C = 1113,      /**< the same for C, if it is written */
  TW_INSUFFICIENT_BUFFER_A = 1121, /**< the buffer ends before A does */
  TW_INSUFFICIENT_BUFFER_B = 1122, /**< the buffer ends before B does */
  TW_INSUFFICIENT_BUFFER_C = 1123, /**< the buffer ends before C does */
  TW_INVALID_INC_X = 1201,         /**< incx is 0, or too large */
  TW_INVALID_INC_Y = 1202,         /**< the same for incy */
  TW_INVALID_BUFFER_X =
      1211, /**< x is read, and the buffer is null or belongs to another context */
  TW_INVALID_BUFFER_Y = 1212,      /**< the same for y, if it is written */
  TW_INSUFFICIENT_BUFFER_X = 1221, /**< the buffer ends before x does */
  TW_INSUFFICIENT_BUFFER_Y = 1222, /**< the buffer ends before y does */
  TW_INVALID_NETWORK =
      1300, /**< a layer is invalid, or a file of a network cannot be read or run */
  TW_INVALID_LD_INPUT = 1301,           /**< like TW_INVALID_LD_A, for an input of a network */
  TW_INVALID_LD_OUTPUT = 1302,          /**< the same for an output */
  TW_INVALID_BUFFER_INPUT = 1311,       /**< like TW_INVALID_BUFFER_A, for an input of a network */
  TW_INVALID_BUFFER_OUTPUT = 1312,      /**< the same for an output */
  TW_INSUFFICIENT_BUFFER_INPUT = 1321,  /**< the buffer ends before an input of a network does */
  TW_INSUFFICIENT_BUFFER_OUTPUT = 1322, /**< the same for an output */
  TW_INVALID_WORKSPACE = 1401, /**< the buffer of the workspace belongs to another context, or its
                                  start or the offset is not a multiple of 16 elements */
  TW_INSUFFICIENT_WORKSPACE = 1402, /**< the buffer ends before the workspace does */
  TW_INVALID_PACKED_BUFFER =
      1411, /**< the buffer for a packed matrix: the same as TW_INVALID_WORKSPACE; or the packed
               matrix is an image, which only the library can create */
  TW_INSUFFICIENT_PACKED_BUFFER = 1412, /**< the buffer ends before the packed matrix does */

  /* 2000 to 2999: the profile that the program names cannot be used. */
  TW_NO_PROFILE = 2001,   /**< the named profile file cannot be read */
  TW_BAD_PROFILE = 2002,  /**< the named profile is damaged or not a profile */
  TW_WRONG_DEVICE = 2003, /**< the named profile is for another device */

  /* 3000 to 3999: the device, its driver or the memory. */
  TW_BUILD_FAILURE = 3001, /**< the driver cannot build any kernel that supports the call */
  TW_OUT_OF_MEMORY = 3002, /**< the host or the device is out of memory */
  TW_OPENCL_ERROR = 3003,  /**< another OpenCL error; see tw_last_opencl_code() */

  TW_INTERNAL = 9001 /**< an internal error of tilewright */
} tw_status;

/** Opens the library for one device of a context. Nothing is compiled yet.
 *
 * @param context, device  one of the context's devices; both are retained
 * @param profile_path_or_null  path of a profile. If it is null, the library searches for one: the
 * file named by $TILEWRIGHT_PROFILE; otherwise a profile for this device in
 * $XDG_DATA_HOME/tilewright/profiles or among the installed profiles; otherwise the built-in
 * profile is used
 * @param out  receives the library; NULL on failure
 * @return TW_NO_PROFILE, TW_BAD_PROFILE or TW_WRONG_DEVICE for a profile that was named;
 * TW_INVALID_VALUE for a null argument or a device that does not belong to the context;
 * TW_OPENCL_ERROR if querying the device fails */
TW_API tw_status tw_open(cl_context context, cl_device_id device, const char* profile_path_or_null,
                         tw_library** out);

/** Like tw_open, but a profile that is named by the path or by $TILEWRIGHT_PROFILE may be for
 * another device. Each of its kernels is verified at its first use; kernels that are wrong on this
 * device are not used.
 *
 * @param context, device, profile_path_or_null, out  see tw_open
 * @return like tw_open, but never TW_WRONG_DEVICE */
TW_API tw_status tw_open_forced(cl_context context, cl_device_id device,
                                const char* profile_path_or_null, tw_library** out);

/** Like tw_open, with a profile that is part of the program.
 *
 * @param context, device  one of the context's devices; both are retained
 * @param profile_text  the text of a profile file, null-terminated; not accessed after the call
 * @param out  receives the library; NULL on failure
 * @return TW_BAD_PROFILE, TW_WRONG_DEVICE; TW_INVALID_VALUE for a null argument; otherwise like
 * tw_open */
TW_API tw_status tw_open_text(cl_context context, cl_device_id device, const char* profile_text,
                              tw_library** out);

/** A log function. It is called with one line, without a newline, for each event that happens once:
 * opening a library (which profile, and why), planning a shape (kernels, predicted times), loading
 * a kernel (compiled, or from the binary cache). It is called by the threads that call the
 * library, possibly by several at the same time, until the library, its plans and its networks are
 * freed. It must not call the library. The line is valid until the function returns.
 *
 * @param line  printable ASCII
 * @param user  tw_open_options::log_user */
typedef void (*tw_log)(const char* line, void* user);

/** Options of tw_open_with. Initialise all members to zero: `tw_open_options options = {0};`. */
typedef struct {
  const char* profile_path; /**< see tw_open; null: search, unless profile_text is set */
  const char* profile_text; /**< see tw_open_text; null: none */
  int forced;               /**< not 0: like tw_open_forced */
  tw_log log;               /**< null: log to stderr if $TILEWRIGHT_VERBOSE is set and not 0 */
  void* log_user;           /**< passed to log */
} tw_open_options;

/** Combines tw_open, tw_open_forced and tw_open_text, with an optional log function.
 *
 * @param context, device  one of the context's devices; both are retained
 * @param options  not accessed after the call
 * @param out  receives the library; NULL on failure
 * @return TW_INVALID_VALUE for a null argument, or if both a path and a text are given; otherwise
 * like tw_open */
TW_API tw_status tw_open_with(cl_context context, cl_device_id device,
                              const tw_open_options* options, tw_library** out);

/** Frees the library and its temporaries.
 *
 * @param library  null is allowed. This must be the last call for the library; work that is
 * already enqueued completes */
TW_API void tw_close(tw_library* library);

/** Returns which profile the library uses, and why.
 *
 * @param library  null is allowed
 * @return a sentence, valid until tw_close; "" for null */
TW_API const char* tw_profile_origin(const tw_library* library);

/** Writes a human-readable table of all plans for a tw_sgemm call, best first. Loads the kernels;
 * the first use of a kernel compiles it.
 *
 * @param library  an open library
 * @param layout, trans_a, trans_b, m, n, k, alpha, offset_a, lda, offset_b, ldb, beta, offset_c,
 * ldc  see tw_sgemm
 * @param out  receives the text, to be freed with tw_text_free: for each plan its predicted time,
 * in total and for each step, its kernels, and why it runs, is not usable or comes later. NULL
 * on failure
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, _B, _C, TW_OUT_OF_MEMORY,
 * TW_OPENCL_ERROR */
TW_API tw_status tw_explain(tw_library* library, tw_layout layout, tw_transpose trans_a,
                            tw_transpose trans_b, size_t m, size_t n, size_t k, float alpha,
                            size_t offset_a, size_t lda, size_t offset_b, size_t ldb, float beta,
                            size_t offset_c, size_t ldc, char** out);

/** Frees a text returned by tw_explain.
 *
 * @param text  null is allowed */
TW_API void tw_text_free(char* text);

/** C = alpha op(A) op(B) + beta C with the semantics of BLAS. Enqueues the product and returns
 * without waiting. The first use of a kernel compiles it.
 *
 * @param library  an open library
 * @param queue  an in-order or out-of-order queue of the library's context and device
 * @param layout  storage order of A, B and C
 * @param trans_a, trans_b  op(A) and op(B)
 * @param m, n, k  extents: op(A) is m x k, op(B) is k x n, C is m x n; 0 is allowed
 * @param alpha  if alpha or k is 0, A and B are not read and may be null
 * @param a, offset_a, lda  the buffer of A, the offset of its first element, and its leading
 * dimension
 * @param b, offset_b, ldb  the same for B
 * @param beta  if 0, C is not read
 * @param c, offset_c, ldc  the same for C, which must not overlap A or B. Gaps between its rows or
 * columns are not written
 * @param num_wait, wait  the number of events to wait for, and the events; 0 and null: none
 * @param event  if not null, receives the event that completes when C is written; the caller must
 * release it
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_BUFFER_A,
 * TW_INSUFFICIENT_BUFFER_A and the same for B and C, TW_INVALID_QUEUE, before anything is
 * enqueued; TW_BUILD_FAILURE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_sgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          float alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, float beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** y = alpha op(A) x + beta y with the semantics of BLAS, except that negative increments are not
 * supported. Enqueues the product and returns without waiting.
 *
 * @param library, queue, alpha, beta, num_wait, wait, event  see tw_sgemm
 * @param layout  storage order of A
 * @param trans  op(A)
 * @param m, n  extents of A, without op(); 0 is allowed
 * @param a, offset_a, lda  see tw_sgemm
 * @param x, offset_x, incx  the buffer of x, the offset of its first element, and the distance
 * between its elements, at least 1. x has n elements, or m if A is transposed
 * @param y, offset_y, incy  the same for y, which must not overlap A or x. y has m elements, or n
 * if A is transposed. Gaps between elements are not written
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_INC_X,
 * TW_INVALID_INC_Y, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A and the same for X and Y,
 * TW_INVALID_QUEUE, before anything is enqueued; TW_BUILD_FAILURE, TW_OUT_OF_MEMORY,
 * TW_OPENCL_ERROR */
TW_API tw_status tw_sgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, float alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          float beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** Computes several products of one shape, with one event for all. The arguments of all products
 * are checked like those of tw_sgemm before the first one is enqueued. The products may run in any
 * order.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, beta  see tw_sgemm; the same
 * for all products
 * @param a, offset_a, lda, stride_a  the i-th A starts at offset_a + i * stride_a elements. With a
 * stride of 0, all products use the same matrix
 * @param b, offset_b, ldb, stride_b  the same for B
 * @param c, offset_c, ldc, stride_c  the same for C, whose stride must not be 0 if count > 1. No C
 * may overlap another C, an A or a B
 * @param count  number of products; if it is 0, the event completes after the `wait` events
 * @param num_wait, wait  the number of events to wait for, and the events; 0 and null: none
 * @param event  if not null, receives the event that completes when every C is written; the caller
 * must release it
 * @return like tw_sgemm; TW_INVALID_VALUE if stride_c is 0 and count > 1 */
TW_API tw_status tw_sgemm_strided_batched(tw_library* library, cl_command_queue queue,
                                          tw_layout layout, tw_transpose trans_a,
                                          tw_transpose trans_b, size_t m, size_t n, size_t k,
                                          float alpha, cl_mem a, size_t offset_a, size_t lda,
                                          size_t stride_a, cl_mem b, size_t offset_b, size_t ldb,
                                          size_t stride_b, float beta, cl_mem c, size_t offset_c,
                                          size_t ldc, size_t stride_c, size_t count,
                                          cl_uint num_wait, const cl_event* wait, cl_event* event);

/** The same with lists of scalars and offsets, one of each for each product. All lists have `count`
 * elements, may be null only if count is 0, and are not accessed after the call.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k  see tw_sgemm; the same for all
 * products
 * @param alphas, betas  the scalars of each product
 * @param a, offsets_a, lda  the i-th A starts at offsets_a[i] elements
 * @param b, offsets_b, ldb  the same for B
 * @param c, offsets_c, ldc  the same for C. No C may overlap another C, an A or a B
 * @param count  number of products; if it is 0, the event completes after the `wait` events
 * @param num_wait, wait  the number of events to wait for, and the events; 0 and null: none
 * @param event  if not null, receives the event that completes when every C is written; the caller
 * must release it
 * @return like tw_sgemm; TW_INVALID_VALUE if a list is null */
TW_API tw_status tw_sgemm_batched(tw_library* library, cl_command_queue queue, tw_layout layout,
                                  tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n,
                                  size_t k, const float* alphas, cl_mem a, const size_t* offsets_a,
                                  size_t lda, cl_mem b, const size_t* offsets_b, size_t ldb,
                                  const float* betas, cl_mem c, const size_t* offsets_c, size_t ldc,
                                  size_t count, cl_uint num_wait, const cl_event* wait,
                                  cl_event* event);

/** Returns the name of a status.
 *
 * @param status  any number
 * @return e.g. "TW_INVALID_LD_A", or "unknown status". A constant string. Thread-safe */
TW_API const char* tw_status_name(tw_status status);

/** Explains the error of the calling thread's last call of a function that returns a tw_status.
 *
 * @return a sentence; "" after success. Valid until the thread's next such call */
TW_API const char* tw_last_error(void);

/** Returns the OpenCL code that caused the error of the calling thread's last call of a function
 * that returns a tw_status. Like tw_last_error() it is kept for each thread, not for each library:
 * other threads that use the same library do not change it.
 *
 * @return e.g. CL_OUT_OF_RESOURCES (-5); CL_SUCCESS after success, and if OpenCL did not fail */
TW_API cl_int tw_last_opencl_code(void);

#ifdef __cplusplus
}
#endif

#include <tilewright/plan.h>

#endif
