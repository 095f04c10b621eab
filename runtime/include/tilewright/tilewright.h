/* How does a C program multiply matrices on an OpenCL device that has a tilewright profile?
 *
 *   tw_library *library = NULL;
 *   if (tw_open(context, device, NULL, &library) != TW_SUCCESS) puts(tw_last_error());
 *   tw_sgemm(library, queue, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, m, n, k,
 *            1.0f, a, 0, k, b, 0, n, 0.0f, c, 0, n, 0, NULL, &event);
 *   tw_close(library);
 *
 * Thread safety: every function may be called from any thread at any time, on one library too; only
 * tw_close must be the last call on its library. Work that is already enqueued survives tw_close.
 */
#ifndef TILEWRIGHT_TILEWRIGHT_H
#define TILEWRIGHT_TILEWRIGHT_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stddef.h>
#include <tilewright/export.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_library tw_library;

typedef enum { TW_ROW_MAJOR = 101, TW_COLUMN_MAJOR = 102 } tw_layout;

typedef enum { TW_NO_TRANS = 111, TW_TRANS = 112 } tw_transpose;

typedef enum {
  TW_SUCCESS = 0,
  TW_INVALID_VALUE = -1,     /* a null pointer, an unknown layout or transpose, a bad wait list */
  TW_INVALID_DIMENSION = -2, /* m, n or k above 2,000,000,000 */
  TW_INVALID_LD_A = -3,      /* lda below max(1, length of a row or column of A as stored), or too large */
  TW_INVALID_LD_B = -4,
  TW_INVALID_LD_C = -5,
  TW_INVALID_BUFFER_A = -6, /* null, or of another context, where A is read */
  TW_INVALID_BUFFER_B = -7,
  TW_INVALID_BUFFER_C = -8,
  TW_INSUFFICIENT_BUFFER_A = -9, /* the buffer ends before the matrix does */
  TW_INSUFFICIENT_BUFFER_B = -10,
  TW_INSUFFICIENT_BUFFER_C = -11,
  TW_INVALID_QUEUE = -12, /* null, or of another context or device than the library */
  TW_NO_PROFILE = -13,    /* the named profile file cannot be read */
  TW_BAD_PROFILE = -14,   /* the named profile is damaged or not a profile */
  TW_WRONG_DEVICE = -15,  /* the named profile is of another device */
  TW_BUILD_FAILURE = -16, /* the driver builds none of the kernels that could serve the call */
  TW_OUT_OF_MEMORY = -17,
  TW_OPENCL_ERROR = -18, /* OpenCL failed otherwise; tw_last_error() has its code by name */
  TW_INTERNAL = -19
} tw_status;

/* Opens the library for one device of a context and stores it in *out (NULL on failure). With a null
 * path the profile is sought: the file that $TILEWRIGHT_PROFILE names; else, by device identity, in
 * $XDG_DATA_HOME/tilewright/profiles and among the installed profiles; else the built-in one serves.
 * Nothing is compiled yet. */
TW_API tw_status tw_open(cl_context context, cl_device_id device, const char *profile_path_or_null,
                         tw_library **out);

/* Frees the library; null is allowed. */
TW_API void tw_close(tw_library *library);

/* Which profile the library serves from, and why: a sentence, valid until tw_close. */
TW_API const char *tw_profile_origin(const tw_library *library);

/* C = alpha op(A) op(B) + beta C, asynchronous: enqueues and returns. BLAS semantics: op(A) is m x k,
 * op(B) is k x n, C is m x n; offsets and leading dimensions count elements (floats). m, n, k may be 0.
 * beta = 0 never reads C; alpha = 0 or k = 0 never reads A or B, which may then be null. C must not
 * overlap A or B. The kernels start after the `wait` events; *event (if not null) completes when C is
 * written, and is the caller's to release. Nothing is enqueued unless TW_SUCCESS is returned or OpenCL
 * itself fails half-way. The first use of a kernel compiles it. */
TW_API tw_status tw_sgemm(tw_library *library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          float alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b, size_t offset_b,
                          size_t ldb, float beta, cl_mem c, size_t offset_c, size_t ldc, cl_uint num_wait,
                          const cl_event *wait, cl_event *event);

/* The status as it is spelled above, e.g. "TW_INVALID_LD_A"; "unknown status" for other numbers. */
TW_API const char *tw_status_name(tw_status status);

/* This thread's last error, a sentence; "" if there was none. Valid until the thread's next call. */
TW_API const char *tw_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
