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
  TW_INTERNAL = -19,
  TW_WRONG_LAYOUT = -20 /* a matrix lies otherwise than the plan wants it: packed for another operand,
                           with other extents or in another layout, or not aligned as planned */
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

/* `count` products of one shape with one event: the i-th has its A at offset_a + i * stride_a elements, and
 * so on. A stride of 0 is one matrix for all products, which is right for A and B alone. All products are
 * checked, as tw_sgemm checks, before the first is enqueued. No C may overlap another C, an A or a B: the
 * products run in any order. count may be 0. */
TW_API tw_status tw_sgemm_strided_batched(tw_library *library, cl_command_queue queue, tw_layout layout,
                                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n,
                                          size_t k, float alpha, cl_mem a, size_t offset_a, size_t lda,
                                          size_t stride_a, cl_mem b, size_t offset_b, size_t ldb,
                                          size_t stride_b, float beta, cl_mem c, size_t offset_c, size_t ldc,
                                          size_t stride_c, size_t count, cl_uint num_wait,
                                          const cl_event *wait, cl_event *event);

/* The same with the scalars and offsets of each product: lists of `count` elements, which may be null only
 * if count is 0. They are read before the call returns. */
TW_API tw_status tw_sgemm_batched(tw_library *library, cl_command_queue queue, tw_layout layout,
                                  tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                                  const float *alphas, cl_mem a, const size_t *offsets_a, size_t lda,
                                  cl_mem b, const size_t *offsets_b, size_t ldb, const float *betas,
                                  cl_mem c, const size_t *offsets_c, size_t ldc, size_t count,
                                  cl_uint num_wait, const cl_event *wait, cl_event *event);

/* The four steps behind tw_sgemm one by one, so that matrices (weights) are packed once and multiplied
 * many times:
 *
 *   tw_plan_create(library, layout, trans_a, trans_b, m, n, k, 0, lda, 0, ldb, 0.0f, 0, ldc, &plan);
 *   tw_pack_b(plan, queue, b, 0, ldb, NULL, 0, 0, NULL, &packed_b, NULL);          once
 *   tw_execute(plan, queue, 1.0f, a, 0, lda, NULL, NULL, 0, 0, packed_b,            any number of times
 *              0.0f, c, 0, ldc, 0, NULL, &event);
 *   tw_packed_free(packed_b); tw_plan_free(plan);
 *
 * Plans and packed matrices never change: any number of threads may use one, on any queues; only its
 * free must be the last call on it. Both may outlive tw_close. */
typedef struct tw_plan tw_plan;
typedef struct tw_packed tw_packed;

/* How products of this shape are served, in *out (NULL on failure): loads the kernels, allocates no
 * device memory. Offsets and leading dimensions (elements) are those that the matrices will have. Of beta
 * only whether it is 0 counts, as a hint; alpha and beta are of each tw_execute. */
TW_API tw_status tw_plan_create(tw_library *library, tw_layout layout, tw_transpose trans_a,
                                tw_transpose trans_b, size_t m, size_t n, size_t k, size_t offset_a,
                                size_t lda, size_t offset_b, size_t ldb, float beta, size_t offset_c,
                                size_t ldc, tw_plan **out);

/* Frees the plan; null is allowed. What is enqueued goes on, what is packed stays. */
TW_API void tw_plan_free(tw_plan *plan);

/* The kernel of the product ("" where C is empty or k is 0), and why it, what is done beside it and how
 * long each part is predicted to take. Valid until tw_plan_free. */
TW_API const char *tw_plan_kernel(const tw_plan *plan);
TW_API const char *tw_plan_reason(const tw_plan *plan);

/* Bytes of A and B as the kernel wants them packed; 0 where it reads them as they lie, and packing copies
 * nothing. */
TW_API size_t tw_plan_packed_a_bytes(const tw_plan *plan);
TW_API size_t tw_plan_packed_b_bytes(const tw_plan *plan);

/* 1 where the packed matrix is an image, which the library must make: tw_pack_* then takes no buffer. */
TW_API int tw_plan_packed_a_is_image(const tw_plan *plan);
TW_API int tw_plan_packed_b_is_image(const tw_plan *plan);

/* Bytes that tw_execute takes from the library for C or the parts of a split k; beside that, those of each
 * operand that should be packed and is not. */
TW_API size_t tw_plan_workspace_bytes(const tw_plan *plan);

/* Enqueues packing the matrix after the `wait` events and flushes the queue. It goes to the buffer `into`
 * from offset_into elements on, a multiple of 16; with a null `into`, to memory of the library's own, which
 * tw_packed_free frees. Where the plan packs nothing (0 bytes), *out stands for the caller's matrix, which
 * must keep its contents, and `into` is not looked at. *event (if not null) completes when it is packed, and
 * is the caller's to release; tw_execute waits for it by itself, on any queue. *out is NULL on failure.
 * Too small a buffer of either kind is TW_INSUFFICIENT_BUFFER_A (B: _B), a matrix that is less aligned than
 * planned TW_WRONG_LAYOUT. */
TW_API tw_status tw_pack_a(const tw_plan *plan, cl_command_queue queue, cl_mem a, size_t offset_a,
                           size_t lda, cl_mem into, size_t offset_into, cl_uint num_wait,
                           const cl_event *wait, tw_packed **out, cl_event *event);
TW_API tw_status tw_pack_b(const tw_plan *plan, cl_command_queue queue, cl_mem b, size_t offset_b,
                           size_t ldb, cl_mem into, size_t offset_into, cl_uint num_wait,
                           const cl_event *wait, tw_packed **out, cl_event *event);

/* Frees the packed matrix; null is allowed. Commands that are enqueued keep what they need. */
TW_API void tw_packed_free(tw_packed *packed);

/* C = alpha op(A) op(B) + beta C, as tw_sgemm. Of an operand whose packed_* is not null, the buffer, offset
 * and leading dimension are not looked at; else they are the matrix, which is packed on the way where the
 * plan wants it packed. A packed matrix may come from another plan if it was packed for the same operand
 * with the extents and layout that this plan wants; else TW_WRONG_LAYOUT. */
TW_API tw_status tw_execute(const tw_plan *plan, cl_command_queue queue, float alpha, cl_mem a,
                            size_t offset_a, size_t lda, const tw_packed *packed_a, cl_mem b,
                            size_t offset_b, size_t ldb, const tw_packed *packed_b, float beta, cl_mem c,
                            size_t offset_c, size_t ldc, cl_uint num_wait, const cl_event *wait,
                            cl_event *event);

/* The status as it is spelled above, e.g. "TW_INVALID_LD_A"; "unknown status" for other numbers. */
TW_API const char *tw_status_name(tw_status status);

/* This thread's last error, a sentence; "" if there was none. Valid until the thread's next call. */
TW_API const char *tw_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
