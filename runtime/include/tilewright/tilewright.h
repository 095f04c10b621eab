/** @file
 * How does a C program multiply matrices on an OpenCL device that has a tilewright profile?
 *
 *     tw_library *library = NULL;
 *     if (tw_open(context, device, NULL, &library) != TW_SUCCESS) puts(tw_last_error());
 *     tw_sgemm(library, queue, TW_ROW_MAJOR, TW_NO_TRANS, TW_NO_TRANS, m, n, k,
 *              1.0f, a, 0, k, b, 0, n, 0.0f, c, 0, n, 0, NULL, &event);
 *     tw_close(library);
 *
 * Matrices are of floats (double.h, half.h: of other types) and lie in OpenCL buffers of the
 * library's context. Offsets, leading dimensions and strides count elements, not bytes.
 *
 * Errors: a function that can fail returns a tw_status; tw_last_error() then has a sentence.
 * Nothing is enqueued unless TW_SUCCESS is returned or OpenCL itself fails half-way, and results
 * (*out, *event) are not set, but for *out, which is NULL then.
 *
 * Thread safety: every function may be called from any thread at any time, on one library too; only
 * tw_close must be the last call on its library. Work that is already enqueued survives tw_close.
 */
#ifndef TILEWRIGHT_TILEWRIGHT_H
#define TILEWRIGHT_TILEWRIGHT_H

/* For any CL_TARGET_OPENCL_VERSION: the program chooses it, for all of its sources. */
#include <CL/cl.h>
#include <stddef.h>
#include <tilewright/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Products for one device of one context: tw_open makes it, tw_close frees it. */
typedef struct tw_library tw_library;

/** How A, B and C lie in memory, as in BLAS. */
typedef enum TW_INT_ENUM {
  TW_ROW_MAJOR = 101,   /**< a row's elements follow one another; the leading dimension is the
                           distance of rows */
  TW_COLUMN_MAJOR = 102 /**< a column's do; the leading dimension is the distance of columns */
} tw_layout;

/** What op(X) is. */
typedef enum TW_INT_ENUM {
  TW_NO_TRANS = 111,  /**< X itself */
  TW_TRANS = 112,     /**< its transpose */
  TW_CONJ_TRANS = 113 /**< its conjugate transpose; of real numbers the transpose */
} tw_transpose;

/** What became of a call. */
typedef enum TW_INT_ENUM {
  TW_SUCCESS = 0,            /**< all is well */
  TW_INVALID_VALUE = -1,     /**< a null pointer, an unknown layout or transpose, a bad wait list */
  TW_INVALID_DIMENSION = -2, /**< m, n or k above 2,000,000,000 */
  TW_INVALID_LD_A =
      -3, /**< lda below max(1, length of a row or column of A as stored), or too large */
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
  TW_BUILD_FAILURE = -16, /**< the driver builds none of the kernels that could serve the call */
  TW_OUT_OF_MEMORY = -17, /**< of the host or the device */
  TW_OPENCL_ERROR = -18,  /**< OpenCL failed otherwise; tw_last_error() has its code by name */
  TW_INTERNAL = -19,      /**< a fault of tilewright's own */
  TW_WRONG_LAYOUT =
      -20, /**< a matrix lies otherwise than the plan wants it: packed for another operand,
                with other extents or in another layout, or not aligned as planned */
  TW_INVALID_INC_X = -21,         /**< incx is 0, or too large */
  TW_INVALID_INC_Y = -22,         /**< the same of incy */
  TW_INVALID_BUFFER_X = -23,      /**< null, or of another context, where x is read */
  TW_INVALID_BUFFER_Y = -24,      /**< the same of y, where it is written */
  TW_INSUFFICIENT_BUFFER_X = -25, /**< the buffer ends before x does */
  TW_INSUFFICIENT_BUFFER_Y = -26, /**< the buffer ends before y does */
  TW_UNSUPPORTED_TYPE = -27       /**< the device or the profile lacks the type of the elements */
} tw_status;

/** Opens the library for one device of a context. Nothing is compiled yet.
 *
 * @param context, device  one of the context's devices; both are retained
 * @param profile_path_or_null  a profile file. With a null path the profile is sought: the file
 * that $TILEWRIGHT_PROFILE names; else, by device identity, in $XDG_DATA_HOME/tilewright/profiles
 * and among the installed profiles; else the built-in one serves
 * @param out  where the library goes; NULL on failure
 * @return TW_NO_PROFILE, TW_BAD_PROFILE or TW_WRONG_DEVICE for a profile that was named;
 * TW_INVALID_VALUE for a null argument or a device that is none of the context's; TW_OPENCL_ERROR
 * if it does not say who it is */
TW_API tw_status tw_open(cl_context context, cl_device_id device, const char* profile_path_or_null,
                         tw_library** out);

/** The same, but a profile that is named, by the path or by $TILEWRIGHT_PROFILE, may be of another
 * device: it serves as far as its kernels are right on this one, which each is checked for at its
 * first use.
 *
 * @param context, device, profile_path_or_null, out  as of tw_open
 * @return as tw_open, but never TW_WRONG_DEVICE */
TW_API tw_status tw_open_forced(cl_context context, cl_device_id device,
                                const char* profile_path_or_null, tw_library** out);

/** The same as tw_open with a profile that the program carries inside.
 *
 * @param context, device  one of the context's devices; both are retained
 * @param profile_text  the text of a profile file, ending with a 0; it is read before the call
 * returns
 * @param out  where the library goes; NULL on failure
 * @return TW_BAD_PROFILE, TW_WRONG_DEVICE; TW_INVALID_VALUE for a null argument; as tw_open
 * otherwise */
TW_API tw_status tw_open_text(cl_context context, cl_device_id device, const char* profile_text,
                              tw_library** out);

/** Gets a line, without a newline, for each thing that a library does once: it opens (which
 * profile, why), it plans a shape (kernels, predicted times), it loads a kernel (compiled, or from
 * the cache of binaries). It is called by the threads that call the library, perhaps by several at
 * once, until the library, its plans and its nets are freed. It must not call the library. The line
 * is valid until it returns.
 *
 * @param line  printable ASCII
 * @param user  log_user of the options */
typedef void (*tw_log)(const char* line, void* user);

/** What tw_open_with opens a library with. Set all to zero first: `tw_open_options options = {0};`.
 */
typedef struct {
  const char*
      profile_path; /**< as of tw_open; null: the profile is sought, unless there is a text */
  const char* profile_text; /**< as of tw_open_text; null: none */
  int forced;               /**< not 0: as of tw_open_forced */
  tw_log log;     /**< null: lines go to stderr if $TILEWRIGHT_VERBOSE is 1, else nowhere */
  void* log_user; /**< handed to log */
} tw_open_options;

/** The same as tw_open, tw_open_forced and tw_open_text, with a function that is told what the
 * library does.
 *
 * @param context, device  one of the context's devices; both are retained
 * @param options  read before the call returns
 * @param out  where the library goes; NULL on failure
 * @return TW_INVALID_VALUE for a null argument, or a path and a text; as the others otherwise */
TW_API tw_status tw_open_with(cl_context context, cl_device_id device,
                              const tw_open_options* options, tw_library** out);

/** Frees the library, and the temporaries that it keeps.
 *
 * @param library  null is allowed. This must be the last call on it; work that is enqueued goes on
 */
TW_API void tw_close(tw_library* library);

/** Which profile the library serves from, and why.
 *
 * @param library  null is allowed
 * @return a sentence, valid until tw_close; "" of no library */
TW_API const char* tw_profile_origin(const tw_library* library);

/** All plans for a call of tw_sgemm, the best first: a table for people. Loads the kernels (the
 * first use of one compiles it).
 *
 * @param library  which is open
 * @param layout, trans_a, trans_b, m, n, k, alpha, offset_a, lda, offset_b, ldb, beta, offset_c,
 * ldc  as of tw_sgemm
 * @param out  where the text goes, which tw_text_free frees: for each plan its predicted time in
 * all and of each part, its kernels, and why it serves, is passed over or comes behind. NULL on
 * failure
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, _B, _C, TW_OUT_OF_MEMORY,
 * TW_OPENCL_ERROR */
TW_API tw_status tw_explain(tw_library* library, tw_layout layout, tw_transpose trans_a,
                            tw_transpose trans_b, size_t m, size_t n, size_t k, float alpha,
                            size_t offset_a, size_t lda, size_t offset_b, size_t ldb, float beta,
                            size_t offset_c, size_t ldc, char** out);

/** Frees a text that tw_explain gave.
 *
 * @param text  null is allowed */
TW_API void tw_text_free(char* text);

/** C = alpha op(A) op(B) + beta C, asynchronous: enqueues and returns. BLAS semantics. The first
 * use of a kernel compiles it.
 *
 * @param library  which is open
 * @param queue  of the library's context and device; in order or not
 * @param layout  of A, B and C
 * @param trans_a, trans_b  what op(A) and op(B) are
 * @param m, n, k  extents: op(A) is m x k, op(B) is k x n, C is m x n. They may be 0
 * @param alpha  0 never reads A or B, which may then be null; nor does k = 0
 * @param a, offset_a, lda  the buffer of A, its first element, and the distance of its rows or
 * columns as stored
 * @param b, offset_b, ldb  the same of B
 * @param beta  0 never reads C
 * @param c, offset_c, ldc  the same of C, which must not overlap A or B. Between its rows or
 * columns nothing is written
 * @param num_wait, wait  events that the kernels wait for; 0 and null: none
 * @param event  if not null, gets the event that completes when C is written; the caller's to
 * release
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_BUFFER_A,
 * TW_INSUFFICIENT_BUFFER_A (and those of B and C), TW_INVALID_QUEUE before anything is enqueued;
 * TW_BUILD_FAILURE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_sgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          float alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, float beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** y = alpha op(A) x + beta y, asynchronous, by the kernels for products of one column. BLAS
 * semantics, but increments are not negative.
 *
 * @param library, queue, alpha, beta, num_wait, wait, event  as of tw_sgemm
 * @param layout  of A
 * @param trans  what op(A) is
 * @param m, n  extents of A as it stands, without op(). They may be 0
 * @param a, offset_a, lda  as of tw_sgemm
 * @param x, offset_x, incx  the buffer of x, its first element, and the distance of its elements,
 * at least 1: n elements, or m where A is transposed
 * @param y, offset_y, incy  the same of y, which must not overlap A or x: m elements, or n where A
 * is transposed. Between them nothing is written
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, TW_INVALID_INC_X,
 * TW_INVALID_INC_Y, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A (and those of X and Y),
 * TW_INVALID_QUEUE before anything is enqueued; TW_BUILD_FAILURE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR
 */
TW_API tw_status tw_sgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, float alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          float beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** Many products of one shape with one event. All are checked, as tw_sgemm checks, before the first
 * is enqueued. They run in any order.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, beta  as of tw_sgemm, for all
 * products
 * @param a, offset_a, lda, stride_a  the i-th A begins at offset_a + i * stride_a elements. A
 * stride of 0 is one matrix for all products
 * @param b, offset_b, ldb, stride_b  the same of B
 * @param c, offset_c, ldc, stride_c  the same of C, whose stride must not be 0 if there are
 * several. No C may overlap another C, an A or a B
 * @param count  of products; of none there is an event after the `wait` events
 * @param num_wait, wait  events that the kernels wait for; 0 and null: none
 * @param event  if not null, gets the event that completes when every C is written; the caller's to
 * release
 * @return as tw_sgemm; TW_INVALID_VALUE for a stride_c of 0 with a count above 1 */
TW_API tw_status tw_sgemm_strided_batched(tw_library* library, cl_command_queue queue,
                                          tw_layout layout, tw_transpose trans_a,
                                          tw_transpose trans_b, size_t m, size_t n, size_t k,
                                          float alpha, cl_mem a, size_t offset_a, size_t lda,
                                          size_t stride_a, cl_mem b, size_t offset_b, size_t ldb,
                                          size_t stride_b, float beta, cl_mem c, size_t offset_c,
                                          size_t ldc, size_t stride_c, size_t count,
                                          cl_uint num_wait, const cl_event* wait, cl_event* event);

/** The same with lists of scalars and offsets, one of each for each product. All lists have `count`
 * elements, may be null only if count is 0, and are read before the call returns.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k  as of tw_sgemm, for all products
 * @param alphas, betas  of each product
 * @param a, offsets_a, lda  the i-th A begins at offsets_a[i] elements
 * @param b, offsets_b, ldb  the same of B
 * @param c, offsets_c, ldc  the same of C. No C may overlap another C, an A or a B
 * @param count  of products; of none there is an event after the `wait` events
 * @param num_wait, wait  events that the kernels wait for; 0 and null: none
 * @param event  if not null, gets the event that completes when every C is written; the caller's to
 * release
 * @return as tw_sgemm; TW_INVALID_VALUE for a list that is null */
TW_API tw_status tw_sgemm_batched(tw_library* library, cl_command_queue queue, tw_layout layout,
                                  tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n,
                                  size_t k, const float* alphas, cl_mem a, const size_t* offsets_a,
                                  size_t lda, cl_mem b, const size_t* offsets_b, size_t ldb,
                                  const float* betas, cl_mem c, const size_t* offsets_c, size_t ldc,
                                  size_t count, cl_uint num_wait, const cl_event* wait,
                                  cl_event* event);

/** How a status is spelled.
 *
 * @param status  any number
 * @return e.g. "TW_INVALID_LD_A"; "unknown status" for numbers that are none. Valid for ever */
TW_API const char* tw_status_name(tw_status status);

/** What went wrong in this thread's last call of a function that returns a tw_status.
 *
 * @return a sentence; "" if nothing did. Valid until the thread's next such call */
TW_API const char* tw_last_error(void);

#ifdef __cplusplus
}
#endif

#include <tilewright/plan.h>

#endif
