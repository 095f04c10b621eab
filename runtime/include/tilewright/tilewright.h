/** @file
 * How does a C program multiply matrices on an OpenCL device that has a tilewright profile?
 *
 *     tw_library *library = NULL;
 *     if (tw_open(context, device, NULL, &library) != TW_SUCCESS) puts(tw_last_error());
 *     tw_sgemm(library, queue, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, m, n, k,
 *              1.0f, a, 0, k, b, 0, n, 0.0f, c, 0, n, 0, NULL, &event);
 *     tw_close(library);
 *
 * Matrices are of floats and lie in OpenCL buffers of the library's context. Offsets, leading dimensions and
 * strides count elements (floats), not bytes.
 *
 * Errors: a function that can fail returns a tw_status; tw_last_error() then has a sentence. Nothing is
 * enqueued unless TW_SUCCESS is returned or OpenCL itself fails half-way, and results (*out, *event) are not
 * set, but for *out, which is NULL then.
 *
 * Thread safety: every function may be called from any thread at any time, on one library too; only
 * tw_close must be the last call on its library. Work that is already enqueued survives tw_close.
 */
#ifndef TILEWRIGHT_TILEWRIGHT_H
#define TILEWRIGHT_TILEWRIGHT_H

#ifndef CL_TARGET_OPENCL_VERSION
/** Which OpenCL the program is written for, unless it says so itself before this line. */
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
#include <stddef.h>
#include <tilewright/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** SGEMM for one device of one context: tw_open makes it, tw_close frees it. */
typedef struct tw_library tw_library;

/** How A, B and C lie in memory, as in BLAS. */
typedef enum {
  TW_ROW_MAJOR = 101,   /**< a row's elements follow one another; the leading dimension is the distance of rows */
  TW_COLUMN_MAJOR = 102 /**< a column's do; the leading dimension is the distance of columns */
} tw_layout;

/** What op(X) is. */
typedef enum {
  TW_NO_TRANS = 111, /**< X itself */
  TW_TRANS = 112     /**< its transpose */
} tw_transpose;

/** What became of a call. */
typedef enum {
  TW_SUCCESS = 0,                 /**< all is well */
  TW_INVALID_VALUE = -1,          /**< a null pointer, an unknown layout or transpose, a bad wait list */
  TW_INVALID_DIMENSION = -2,      /**< m, n or k above 2,000,000,000 */
  TW_INVALID_LD_A = -3,           /**< lda below max(1, length of a row or column of A as stored), or too large */
  TW_INVALID_LD_B = -4,           /**< the same of ldb */
  TW_INVALID_LD_C = -5,           /**< the same of ldc */
  TW_INVALID_BUFFER_A = -6,       /**< null, or of another context, where A is read */
  TW_INVALID_BUFFER_B = -7,       /**< the same of B */
  TW_INVALID_BUFFER_C = -8,       /**< the same of C, where it is written */
  TW_INSUFFICIENT_BUFFER_A = -9,  /**< the buffer ends before A does */
  TW_INSUFFICIENT_BUFFER_B = -10, /**< the buffer ends before B does */
  TW_INSUFFICIENT_BUFFER_C = -11, /**< the buffer ends before C does */
  TW_INVALID_QUEUE = -12,         /**< null, or of another context or device than the library */
  TW_NO_PROFILE = -13,            /**< the named profile file cannot be read */
  TW_BAD_PROFILE = -14,           /**< the named profile is damaged or not a profile */
  TW_WRONG_DEVICE = -15,          /**< the named profile is of another device */
  TW_BUILD_FAILURE = -16,         /**< the driver builds none of the kernels that could serve the call */
  TW_OUT_OF_MEMORY = -17,         /**< of the host or the device */
  TW_OPENCL_ERROR = -18,          /**< OpenCL failed otherwise; tw_last_error() has its code by name */
  TW_INTERNAL = -19,              /**< a fault of tilewright's own */
  TW_WRONG_LAYOUT = -20           /**< a matrix lies otherwise than the plan wants it: packed for another operand,
                                       with other extents or in another layout, or not aligned as planned */
} tw_status;

/** Opens the library for one device of a context. Nothing is compiled yet.
 *
 * @param context, device  one of the context's devices; both are retained
 * @param profile_path_or_null  a profile file. With a null path the profile is sought: the file that
 *     $TILEWRIGHT_PROFILE names; else, by device identity, in $XDG_DATA_HOME/tilewright/profiles and among the
 *     installed profiles; else the built-in one serves
 * @param out  where the library goes; NULL on failure
 * @return TW_NO_PROFILE, TW_BAD_PROFILE or TW_WRONG_DEVICE for a profile that was named; TW_INVALID_VALUE for a
 *     null argument or a device that is none of the context's; TW_OPENCL_ERROR if it does not say who it is */
TW_API tw_status tw_open(cl_context context, cl_device_id device, const char *profile_path_or_null,
                         tw_library **out);

/** The same, but a profile that is named, by the path or by $TILEWRIGHT_PROFILE, may be of another device: it
 * serves as far as its kernels are right on this one, which each is checked for at its first use.
 *
 * @param context, device, profile_path_or_null, out  as of tw_open
 * @return as tw_open, but never TW_WRONG_DEVICE */
TW_API tw_status tw_open_forced(cl_context context, cl_device_id device, const char *profile_path_or_null,
                                tw_library **out);

/** The same as tw_open with a profile that the program carries inside.
 *
 * @param context, device  one of the context's devices; both are retained
 * @param profile_text  the text of a profile file, ending with a 0; it is read before the call returns
 * @param out  where the library goes; NULL on failure
 * @return TW_BAD_PROFILE, TW_WRONG_DEVICE; TW_INVALID_VALUE for a null argument; as tw_open otherwise */
TW_API tw_status tw_open_text(cl_context context, cl_device_id device, const char *profile_text,
                              tw_library **out);

/** Gets a line, without a newline, for each thing that a library does once: it opens (which profile, why), it plans a
 * shape (kernels, predicted times), it loads a kernel (compiled, or from the cache of binaries). It is called by the
 * threads that call the library, perhaps by several at once, until the library, its plans and its nets are freed. It
 * must not call the library. The line is valid until it returns.
 *
 * @param line  printable ASCII
 * @param user  log_user of the options */
typedef void (*tw_log)(const char *line, void *user);

/** What tw_open_with opens a library with. Set all to zero first: `tw_open_options options = {0};`. */
typedef struct {
  const char *profile_path; /**< as of tw_open; null: the profile is sought, unless there is a text */
  const char *profile_text; /**< as of tw_open_text; null: none */
  int forced;               /**< not 0: as of tw_open_forced */
  tw_log log;               /**< null: lines go to stderr if $TILEWRIGHT_VERBOSE is 1, else nowhere */
  void *log_user;           /**< handed to log */
} tw_open_options;

/** The same as tw_open, tw_open_forced and tw_open_text, with a function that is told what the library does.
 *
 * @param context, device  one of the context's devices; both are retained
 * @param options  read before the call returns
 * @param out  where the library goes; NULL on failure
 * @return TW_INVALID_VALUE for a null argument, or a path and a text; as the others otherwise */
TW_API tw_status tw_open_with(cl_context context, cl_device_id device, const tw_open_options *options,
                              tw_library **out);

/** Frees the library, and the temporaries that it keeps.
 *
 * @param library  null is allowed. This must be the last call on it; work that is enqueued goes on */
TW_API void tw_close(tw_library *library);

/** Which profile the library serves from, and why.
 *
 * @param library  null is allowed
 * @return a sentence, valid until tw_close; "" of no library */
TW_API const char *tw_profile_origin(const tw_library *library);

/** All ways to serve a call of tw_sgemm, the best first: a table for people. Loads the kernels (the first use of one
 * compiles it).
 *
 * @param library  which is open
 * @param layout, trans_a, trans_b, m, n, k, alpha, offset_a, lda, offset_b, ldb, beta, offset_c, ldc  as of tw_sgemm
 * @param out  where the text goes, which tw_text_free frees: for each way its predicted time in all and of each part,
 *     its kernels, and why it serves, is passed over or comes behind. NULL on failure
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, _B, _C, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_explain(tw_library *library, tw_layout layout, tw_transpose trans_a, tw_transpose trans_b,
                            size_t m, size_t n, size_t k, float alpha, size_t offset_a, size_t lda,
                            size_t offset_b, size_t ldb, float beta, size_t offset_c, size_t ldc, char **out);

/** Frees a text that tw_explain gave.
 *
 * @param text  null is allowed */
TW_API void tw_text_free(char *text);

/** C = alpha op(A) op(B) + beta C, asynchronous: enqueues and returns. BLAS semantics. The first use of a kernel
 * compiles it.
 *
 * @param library  which is open
 * @param queue  of the library's context and device; in order or not
 * @param layout  of A, B and C
 * @param trans_a, trans_b  what op(A) and op(B) are
 * @param m, n, k  extents: op(A) is m x k, op(B) is k x n, C is m x n. They may be 0
 * @param alpha  0 never reads A or B, which may then be null; nor does k = 0
 * @param a, offset_a, lda  the buffer of A, its first element, and the distance of its rows or columns as stored
 * @param b, offset_b, ldb  the same of B
 * @param beta  0 never reads C
 * @param c, offset_c, ldc  the same of C, which must not overlap A or B. Between its rows or columns nothing is
 *     written
 * @param num_wait, wait  events that the kernels wait for; 0 and null: none
 * @param event  if not null, gets the event that completes when C is written; the caller's to release
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A
 *     (and those of B and C), TW_INVALID_QUEUE before anything is enqueued; TW_BUILD_FAILURE, TW_OUT_OF_MEMORY,
 *     TW_OPENCL_ERROR */
TW_API tw_status tw_sgemm(tw_library *library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          float alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b, size_t offset_b,
                          size_t ldb, float beta, cl_mem c, size_t offset_c, size_t ldc, cl_uint num_wait,
                          const cl_event *wait, cl_event *event);

/** Many products of one shape with one event. All are checked, as tw_sgemm checks, before the first is enqueued.
 * They run in any order.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, beta  as of tw_sgemm, for all products
 * @param a, offset_a, lda, stride_a  the i-th A begins at offset_a + i * stride_a elements. A stride of 0 is one
 *     matrix for all products
 * @param b, offset_b, ldb, stride_b  the same of B
 * @param c, offset_c, ldc, stride_c  the same of C, whose stride must not be 0 if there are several. No C may overlap another C, an A
 *     or a B
 * @param count  of products; of none there is an event after the `wait` events
 * @param num_wait, wait  events that the kernels wait for; 0 and null: none
 * @param event  if not null, gets the event that completes when every C is written; the caller's to release
 * @return as tw_sgemm; TW_INVALID_VALUE for a stride_c of 0 with a count above 1 */
TW_API tw_status tw_sgemm_strided_batched(tw_library *library, cl_command_queue queue, tw_layout layout,
                                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n,
                                          size_t k, float alpha, cl_mem a, size_t offset_a, size_t lda,
                                          size_t stride_a, cl_mem b, size_t offset_b, size_t ldb,
                                          size_t stride_b, float beta, cl_mem c, size_t offset_c, size_t ldc,
                                          size_t stride_c, size_t count, cl_uint num_wait,
                                          const cl_event *wait, cl_event *event);

/** The same with lists of scalars and offsets, one of each for each product. All lists have `count` elements, may
 * be null only if count is 0, and are read before the call returns.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k  as of tw_sgemm, for all products
 * @param alphas, betas  of each product
 * @param a, offsets_a, lda  the i-th A begins at offsets_a[i] elements
 * @param b, offsets_b, ldb  the same of B
 * @param c, offsets_c, ldc  the same of C. No C may overlap another C, an A or a B
 * @param count  of products; of none there is an event after the `wait` events
 * @param num_wait, wait  events that the kernels wait for; 0 and null: none
 * @param event  if not null, gets the event that completes when every C is written; the caller's to release
 * @return as tw_sgemm; TW_INVALID_VALUE for a list that is null */
TW_API tw_status tw_sgemm_batched(tw_library *library, cl_command_queue queue, tw_layout layout,
                                  tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                                  const float *alphas, cl_mem a, const size_t *offsets_a, size_t lda,
                                  cl_mem b, const size_t *offsets_b, size_t ldb, const float *betas,
                                  cl_mem c, const size_t *offsets_c, size_t ldc, size_t count,
                                  cl_uint num_wait, const cl_event *wait, cl_event *event);

/** How products of one shape are served: the first of the four steps behind tw_sgemm, which can be taken one by
 * one, so that matrices (weights) are packed once and multiplied many times:
 *
 *     tw_plan_create(library, layout, trans_a, trans_b, m, n, k, 0, lda, 0, ldb, 0.0f, 0, ldc, &plan);
 *     tw_pack_b(plan, queue, b, 0, ldb, NULL, 0, 0, NULL, &packed_b, NULL);          once
 *     tw_execute(plan, queue, 1.0f, a, 0, lda, NULL, NULL, 0, 0, packed_b,            any number of times
 *                0.0f, c, 0, ldc, 0, NULL, &event);
 *     tw_packed_free(packed_b); tw_plan_free(plan);
 *
 * Plans and packed matrices never change: any number of threads may use one, on any queues; only its
 * free must be the last call on it. Both may outlive tw_close. */
typedef struct tw_plan tw_plan;

/** A matrix as it is packed for one operand of a plan: tw_pack_a or tw_pack_b makes it, tw_packed_free frees it. */
typedef struct tw_packed tw_packed;

/** Plans: loads the kernels (the first use of one compiles it), allocates no device memory.
 *
 * @param library  which is open
 * @param layout, trans_a, trans_b, m, n, k  as of tw_sgemm
 * @param offset_a, lda, offset_b, ldb, offset_c, ldc  those that the matrices will have
 * @param beta  only whether it is 0 counts, as a hint; alpha and beta are of each tw_execute
 * @param out  where the plan goes; NULL on failure
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, _B, _C, TW_BUILD_FAILURE, TW_OPENCL_ERROR */
TW_API tw_status tw_plan_create(tw_library *library, tw_layout layout, tw_transpose trans_a,
                                tw_transpose trans_b, size_t m, size_t n, size_t k, size_t offset_a,
                                size_t lda, size_t offset_b, size_t ldb, float beta, size_t offset_c,
                                size_t ldc, tw_plan **out);

/** Frees the plan. What is enqueued goes on, what is packed stays.
 *
 * @param plan  null is allowed */
TW_API void tw_plan_free(tw_plan *plan);

/** The name of the product's kernel.
 *
 * @param plan  null is allowed
 * @return "" where C is empty or k is 0, and of no plan; valid until tw_plan_free */
TW_API const char *tw_plan_kernel(const tw_plan *plan);

/** Why that kernel, what is done beside it, and how long each part is predicted to take.
 *
 * @param plan  null is allowed
 * @return a sentence, valid until tw_plan_free; "" of no plan */
TW_API const char *tw_plan_reason(const tw_plan *plan);

/** The size of A as the kernel wants it packed.
 *
 * @param plan  null is allowed
 * @return bytes; 0 where the kernel reads A as it lies, and packing copies nothing */
TW_API size_t tw_plan_packed_a_bytes(const tw_plan *plan);

/** The size of B as the kernel wants it packed.
 *
 * @param plan  null is allowed
 * @return bytes; 0 where the kernel reads B as it lies, and packing copies nothing */
TW_API size_t tw_plan_packed_b_bytes(const tw_plan *plan);

/** Is packed A an image, which the library must make? tw_pack_a then takes no buffer.
 *
 * @param plan  null is allowed
 * @return 1 if so, else 0 */
TW_API int tw_plan_packed_a_is_image(const tw_plan *plan);

/** Is packed B an image, which the library must make? tw_pack_b then takes no buffer.
 *
 * @param plan  null is allowed
 * @return 1 if so, else 0 */
TW_API int tw_plan_packed_b_is_image(const tw_plan *plan);

/** What tw_execute needs for C or the parts of a split k, in memory of the library's or, with tw_execute_in, the
 * caller's.
 *
 * @param plan  null is allowed
 * @return bytes; beside them, tw_execute takes from the library those of each operand that should be packed and is
 *     not */
TW_API size_t tw_plan_workspace_bytes(const tw_plan *plan);

/** Packs A, asynchronous: enqueues packing it and flushes the queue. Where the plan packs nothing (0 bytes),
 * nothing is copied: *out stands for the caller's matrix, which must keep its contents.
 *
 * @param plan  which wants A
 * @param queue  of the plan's context and device
 * @param a, offset_a, lda  the matrix, as aligned as planned
 * @param into, offset_into  a buffer of tw_plan_packed_a_bytes() bytes or more behind offset_into elements, a
 *     multiple of 16; with a null buffer, memory of the library's own, which tw_packed_free frees. Not looked at
 *     where the plan packs nothing
 * @param num_wait, wait  events that packing waits for; 0 and null: none
 * @param out  where the packed matrix goes; NULL on failure
 * @param event  if not null, gets the event that completes when A is packed; the caller's to release. tw_execute
 *     waits for it by itself, on any queue
 * @return TW_INVALID_LD_A; TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A for either buffer; TW_INVALID_VALUE for
 *     an offset_into that is no multiple, or a buffer where an image is needed; TW_WRONG_LAYOUT for a matrix that
 *     is less aligned than planned; TW_INVALID_QUEUE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_pack_a(const tw_plan *plan, cl_command_queue queue, cl_mem a, size_t offset_a,
                           size_t lda, cl_mem into, size_t offset_into, cl_uint num_wait,
                           const cl_event *wait, tw_packed **out, cl_event *event);

/** Packs B, as tw_pack_a packs A.
 *
 * @param plan, queue, num_wait, wait, out, event  as of tw_pack_a
 * @param b, offset_b, ldb  the matrix, as aligned as planned
 * @param into, offset_into  as of tw_pack_a, for tw_plan_packed_b_bytes() bytes
 * @return as tw_pack_a, with the errors of B */
TW_API tw_status tw_pack_b(const tw_plan *plan, cl_command_queue queue, cl_mem b, size_t offset_b,
                           size_t ldb, cl_mem into, size_t offset_into, cl_uint num_wait,
                           const cl_event *wait, tw_packed **out, cl_event *event);

/** Frees the packed matrix. Commands that are enqueued keep what they need.
 *
 * @param packed  null is allowed */
TW_API void tw_packed_free(tw_packed *packed);

/** C = alpha op(A) op(B) + beta C, as tw_sgemm, with the plan's extents, layout and transposes.
 *
 * @param plan, queue, alpha, beta, num_wait, wait, event  as of tw_sgemm
 * @param packed_a  packed A, or null. It may come from another plan if it was packed for the same operand with the
 *     extents and layout that this plan wants
 * @param a, offset_a, lda  A, if packed_a is null: packed on the way where the plan wants it packed. Else not
 *     looked at
 * @param packed_b, b, offset_b, ldb  the same of B
 * @param c, offset_c, ldc  C, as of tw_sgemm
 * @return as tw_sgemm; TW_WRONG_LAYOUT for a packed matrix that is not as the plan wants it, and for a matrix that
 *     is less aligned than planned */
TW_API tw_status tw_execute(const tw_plan *plan, cl_command_queue queue, float alpha, cl_mem a,
                            size_t offset_a, size_t lda, const tw_packed *packed_a, cl_mem b,
                            size_t offset_b, size_t ldb, const tw_packed *packed_b, float beta, cl_mem c,
                            size_t offset_c, size_t ldc, cl_uint num_wait, const cl_event *wait,
                            cl_event *event);

/** tw_execute with what lies between the product and C in memory of the caller's.
 *
 * @param plan, queue, alpha, a, offset_a, lda, packed_a, b, offset_b, ldb, packed_b, beta, c, offset_c, ldc, num_wait,
 *     wait, event  as of tw_execute
 * @param workspace, offset_workspace  a buffer of tw_plan_workspace_bytes() bytes or more behind offset_workspace
 *     elements, a multiple of 16, which nothing else may use until the product is done. Null: memory of the
 *     library's. Not looked at where the plan needs 0 bytes
 * @return as tw_execute; of the workspace TW_INVALID_VALUE (offset), TW_INVALID_BUFFER_C, TW_INSUFFICIENT_BUFFER_C */
TW_API tw_status tw_execute_in(const tw_plan *plan, cl_command_queue queue, float alpha, cl_mem a,
                               size_t offset_a, size_t lda, const tw_packed *packed_a, cl_mem b,
                               size_t offset_b, size_t ldb, const tw_packed *packed_b, float beta, cl_mem c,
                               size_t offset_c, size_t ldc, cl_mem workspace, size_t offset_workspace,
                               cl_uint num_wait, const cl_event *wait, cl_event *event);

/** How a status is spelled.
 *
 * @param status  any number
 * @return e.g. "TW_INVALID_LD_A"; "unknown status" for numbers that are none. Valid for ever */
TW_API const char *tw_status_name(tw_status status);

/** What went wrong in this thread's last call of a function that returns a tw_status.
 *
 * @return a sentence; "" if nothing did. Valid until the thread's next such call */
TW_API const char *tw_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
