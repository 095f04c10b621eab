/** @file
 * Multiplies matrices on an OpenCL device with a tilewright profile: the C interface. This header
 * is self-contained; tilewright/network.h adds neural networks.
 *
 *     tw_library* library = NULL;
 *     if (tw_open(context, device, NULL, &library) != TW_SUCCESS) puts(tw_last_error());
 *
 *     tw_gemm_desc product = tw_make_gemm_desc(TW_FLOAT, m, n, k);  // C = A B, row-major
 *     tw_matrix a = tw_make_matrix(a_buffer, 0, k);
 *     tw_matrix b = tw_make_matrix(b_buffer, 0, n);
 *     tw_matrix c = tw_make_matrix(c_buffer, 0, n);
 *     tw_gemm(library, queue, &product, &a, &b, &c, 0, NULL, &event);
 *     tw_close(library);
 *
 * Matrices are in OpenCL buffers of the library's context. Their offsets, leading dimensions and
 * strides count elements, not bytes. Memory for intermediate results (tw_memory) is counted in
 * bytes.
 *
 * Errors: a function that can fail returns a tw_status; tw_last_error() then explains the error in
 * a sentence, and tw_last_opencl_code() returns the OpenCL code that caused it. If it fails,
 * nothing has been enqueued, unless OpenCL itself failed half-way. On failure *out is set to NULL
 * and *event is left unchanged.
 *
 * Null pointers: a null tw_matrix is a matrix whose members are all 0, and a null tw_memory is
 * none. num_wait and wait must be 0 and null, or neither.
 *
 * Memory: structures and the arrays that they point to (offsets, alphas, betas, wait lists) are not
 * accessed after the call. OpenCL retains the buffers of enqueued commands, so they may be released
 * after the call, but host memory of CL_MEM_USE_HOST_PTR must exist until the commands are
 * complete. A packed matrix retains its buffer.
 *
 * Thread safety: every function may be called from any thread at any time, also for the same
 * library. Only tw_close must be the last call for its library. Work that is already enqueued
 * completes after tw_close.
 *
 * Processes: OpenCL drivers do not work in a child process that fork() makes without exec. There,
 * functions that plan or enqueue something with a library of the parent return TW_FORKED, and
 * tw_close frees nothing.
 *
 * Versions: structures that may grow start with their size (struct_size), which the functions
 * tw_make_... set. A library accepts structures of older headers, and those of newer headers as
 * long as members that it does not know are zero. */
#ifndef TILEWRIGHT_TILEWRIGHT_H
#define TILEWRIGHT_TILEWRIGHT_H

/* For any CL_TARGET_OPENCL_VERSION: the program chooses it, for all of its sources. */
#include <CL/cl.h>
#include <stddef.h>

/** Marks the exported symbols of the shared library. */
#if defined(__GNUC__)
#define TW_API __attribute__((visibility("default")))
#else
#define TW_API
#endif

/** The type of an enumeration that a caller may give any int: in C++ a value beyond the enumerators
    would otherwise be undefined before the library can refuse it. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define TW_INT_ENUM : int
#else
#define TW_INT_ENUM
#endif

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

/** Element type of all matrices of a call. */
typedef enum TW_INT_ENUM {
  TW_FLOAT = 0,  /**< float; sums, too */
  TW_DOUBLE = 1, /**< double; sums, too. Requires a device with cl_khr_fp64 */
  /** cl_half (binary16 of IEEE 754), on every device. Kernels convert elements to floats,
     accumulate in single precision, and round results to the nearest half-precision number, ties to
     even; results beyond 65504 become infinite. Only kernels of a profile that was tuned with
      `--only accumulate_k=...` accumulate some products in half precision; each such sum must stay
      below 65504. */
  TW_HALF = 2,
  TW_COMPLEX_FLOAT = 3, /**< cl_float2: the real part, then the imaginary part */
  TW_COMPLEX_DOUBLE = 4 /**< cl_double2, likewise. Requires a device with cl_khr_fp64 */
} tw_type;

/** Fails to compile if enumerations are not as large as int (-fshort-enums): the structures would
    differ from those of the library. */
typedef char tw_enum_is_int[sizeof(tw_type) == sizeof(int) ? 1 : -1];

/** Status codes. They are positive, so that they differ from OpenCL's codes, which are negative.
 * New statuses may be added within a group: treat an unknown status like another status of its
 * group. */
typedef enum TW_INT_ENUM {
  TW_SUCCESS = 0, /**< success */

  /* 1000 to 1999: the caller must fix an argument. tw_last_error() names it. */
  TW_INVALID_VALUE = 1000, /**< a null pointer, an unknown layout or transpose, a bad wait list */
  TW_INVALID_DIMENSION =
      1010, /**< m, n or k, the rows of a batch or an extent of a layer is greater than
               2,000,000,000; m, n or k of complex matrices is greater than 1,000,000,000 */
  TW_INVALID_QUEUE = 1020,    /**< null, or for another context or device than the library's */
  TW_UNSUPPORTED_TYPE = 1030, /**< the device or the profile does not support the element type */
  TW_WRONG_LAYOUT =
      1040, /**< a matrix does not match the plan: it was packed for another operand, with other
               extents or in another layout, or it is less aligned than planned */
  TW_INVALID_LD_A = 1101, /**< lda is less than max(1, length of a row or column of A as stored), or
                             greater than 2,000,000,000 (complex matrices: 1,000,000,000) */
  TW_INVALID_LD_B = 1102, /**< the same for ldb */
  TW_INVALID_LD_C = 1103, /**< the same for ldc */
  TW_INVALID_BUFFER_A =
      1111, /**< A is read, and the buffer is null, CL_MEM_WRITE_ONLY or of another context */
  TW_INVALID_BUFFER_B = 1112,      /**< the same for B */
  TW_INVALID_BUFFER_C = 1113,      /**< the same for C, which must not be CL_MEM_READ_ONLY */
  TW_INSUFFICIENT_BUFFER_A = 1121, /**< the buffer ends before A does */
  TW_INSUFFICIENT_BUFFER_B = 1122, /**< the buffer ends before B does */
  TW_INSUFFICIENT_BUFFER_C = 1123, /**< the buffer ends before C does */
  TW_INVALID_INC_X = 1201,         /**< incx is 0, or too large (like TW_INVALID_LD_A) */
  TW_INVALID_INC_Y = 1202,         /**< the same for incy */
  TW_INVALID_BUFFER_X =
      1211, /**< x is read, and the buffer is null, CL_MEM_WRITE_ONLY or of another context */
  TW_INVALID_BUFFER_Y = 1212,      /**< the same for y, which must not be CL_MEM_READ_ONLY */
  TW_INSUFFICIENT_BUFFER_X = 1221, /**< the buffer ends before x does */
  TW_INSUFFICIENT_BUFFER_Y = 1222, /**< the buffer ends before y does */
  TW_INVALID_NETWORK =
      1300, /**< a layer is invalid, or a file of a network cannot be read or run */
  TW_INVALID_LD_INPUT = 1301,           /**< like TW_INVALID_LD_A, for an input of a network */
  TW_INVALID_LD_OUTPUT = 1302,          /**< the same for an output */
  TW_INVALID_BUFFER_INPUT = 1311,       /**< like TW_INVALID_BUFFER_A, for an input of a network */
  TW_INVALID_BUFFER_OUTPUT = 1312,      /**< the same for an output; it must be CL_MEM_READ_WRITE */
  TW_INSUFFICIENT_BUFFER_INPUT = 1321,  /**< the buffer ends before an input of a network does */
  TW_INSUFFICIENT_BUFFER_OUTPUT = 1322, /**< the same for an output */
  TW_INVALID_WORKSPACE = 1401,      /**< the buffer is of another context or not CL_MEM_READ_WRITE,
                                       its start is not aligned, or the offset is not a multiple of
                                       128 bytes */
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
  TW_FORKED = 3004, /**< fork() made this process after the library was opened; OpenCL drivers do
                       not work in such a process */

  TW_INTERNAL = 9001 /**< an internal error of tilewright */
} tw_status;

/** The severity of an event that is logged. More may be added. */
typedef enum TW_INT_ENUM {
  TW_LOG_INFO = 1,   /**< what the library does, and why */
  TW_LOG_WARNING = 2 /**< something failed, or is slower than it could be */
} tw_log_severity;

/** A log function. It is called with one line, without a newline, for each event that happens once:
 * opening a library (which profile, and why), planning a shape (kernels, predicted times), loading
 * a kernel (compiled, or from the binary cache). It is called by the threads that call the
 * library, possibly by several at the same time, until the library and all plans, networks and
 * teams that were made with it are freed (tw_options::log_free). It must not call the library. The
 * line is valid until the function returns.
 *
 * @param severity  of the event
 * @param line  printable ASCII
 * @param user  tw_options::log_user */
typedef void (*tw_log)(tw_log_severity severity, const char* line, void* user);

/** Frees what a log function uses. It is called once, when the library and all plans, networks and
 * teams that were made with it are freed, by the thread that frees the last of them. It must not
 * call the library.
 *
 * @param user  tw_options::log_user */
typedef void (*tw_log_free)(void* user);

/** tw_options::max_kept_bytes: the library chooses the limit. */
#define TW_DEFAULT_KEPT_BYTES ((size_t)-1)

/** Options of tw_open. Initialise them with tw_make_options(). At most one of profile_path,
 * profile_text and built_in_profile may be set. If none is, the library searches for a profile: the
 * file named by $TILEWRIGHT_PROFILE (`builtin`: the built-in profile); otherwise a profile for this
 * device in $XDG_DATA_HOME/tilewright/profiles or among the installed profiles; otherwise the
 * built-in profile is used. */
typedef struct {
  size_t struct_size;       /**< sizeof(tw_options) */
  const char* profile_path; /**< NULL, or the path of a profile */
  const char* profile_text; /**< NULL, or the text of a profile, for one inside the program */
  /** Not 0: use the built-in profile. It supports every device, but is slower than a tuned one. */
  int built_in_profile;
  /** Not 0: a profile that is named by the program or by $TILEWRIGHT_PROFILE may be for another
      device. Each of its kernels is verified at its first use; kernels that are wrong on this
      device are not used. */
  int allow_other_device;
  /** Folder for binaries of compiled kernels. NULL: $TILEWRIGHT_CACHE (`off`: none), otherwise
      $XDG_CACHE_HOME/tilewright or ~/.cache/tilewright. "": none. */
  const char* cache_folder;
  /** Device memory in bytes that the library keeps for temporaries of later calls. A larger
     temporary is freed when no command uses it any more. 0: nothing is kept. TW_DEFAULT_KEPT_BYTES:
     256 MiB or 1/64 of the device memory, whichever is larger, but at most a quarter of it. */
  size_t max_kept_bytes;
  tw_log log;     /**< NULL: log to stderr if $TILEWRIGHT_VERBOSE is set and not 0 */
  void* log_user; /**< passed to log */
  /** NULL, or called with log_user when log is not used any more. Not called if tw_open fails, or
     if log is NULL. */
  tw_log_free log_free;
} tw_options;

/** Opens the library for one device of a context. Nothing is compiled yet.
 *
 * @param context, device  one of the context's devices; both are retained
 * @param options  NULL: the defaults. Not accessed after the call
 * @param out  receives the library; NULL on failure
 * @return TW_NO_PROFILE, TW_BAD_PROFILE for a profile that was named, and TW_WRONG_DEVICE unless
 * another device is allowed; TW_INVALID_VALUE for a null argument, invalid options, or a device
 * that does not belong to the context; TW_OPENCL_ERROR if querying the device fails */
TW_API tw_status tw_open(cl_context context, cl_device_id device, const tw_options* options,
                         tw_library** out);

/** tw_open for the context and the device of a queue.
 *
 * @param queue  not retained
 * @param options, out  see tw_open
 * @return like tw_open; TW_INVALID_QUEUE */
TW_API tw_status tw_open_for_queue(cl_command_queue queue, const tw_options* options,
                                   tw_library** out);

/** Frees the library and its temporaries.
 *
 * @param library  null is allowed. This must be the last call for the library; work that is
 * already enqueued completes */
TW_API void tw_close(tw_library* library);

/** Returns which profile the library uses, and why. The log has the details.
 *
 * @param library  null is allowed
 * @return one line, valid until tw_close; "" for null */
TW_API const char* tw_profile_origin(const tw_library* library);

/** Returns whether the library can multiply matrices of an element type. Compiles nothing. Networks
 * support only TW_FLOAT and TW_HALF.
 *
 * @param library  null is allowed
 * @param type  any number
 * @return 1 if products of this type do not fail with TW_UNSUPPORTED_TYPE, otherwise 0; 0 for null
 * and for an unknown type */
TW_API int tw_supports(const tw_library* library, tw_type type);

/** A scalar of a product. It is rounded to the type of sums, so a float is represented exactly. */
typedef struct {
  double re; /**< the real part */
  double im; /**< the imaginary part; 0 for real matrices */
} tw_scalar;

/** A product C = alpha op(A) op(B) + beta C with the semantics of BLAS, or a batch of products of
 * one shape. Initialise it with tw_make_gemm_desc(). */
typedef struct {
  size_t struct_size;   /**< sizeof(tw_gemm_desc) */
  tw_type type;         /**< element type of A, B and C */
  tw_layout layout;     /**< storage order of A, B and C; default: TW_ROW_MAJOR */
  tw_transpose trans_a; /**< op(A); default: TW_NO_TRANS */
  tw_transpose trans_b; /**< op(B); default: TW_NO_TRANS */
  size_t m;             /**< rows of op(A) and C; 0 is allowed for all three extents */
  size_t n;             /**< columns of op(B) and C */
  size_t k;             /**< columns of op(A), rows of op(B) */
  tw_scalar alpha;      /**< default: 1. If alpha or k is 0, A and B are not read and may be null */
  tw_scalar beta;       /**< default: 0. If 0, C is not read */
  size_t batch_count;   /**< number of products; default: 1, 0 is allowed */
  /** NULL, the default: all products use alpha. Otherwise one scalar for each product, instead of
      alpha; functions of one product use the first. */
  const tw_scalar* alphas;
  const tw_scalar* betas; /**< the same for beta */
  size_t reserved;        /**< must be 0 */
} tw_gemm_desc;

/** A matrix that is packed for one operand of a plan; see tw_pack. */
typedef struct tw_packed tw_packed;

/** A matrix in a buffer, or the matrices of a batch in one buffer. Its members are fixed: later
 * versions add to the descriptors. Members that are 0 have their default. Functions of one product
 * and networks use the first matrix, at offset + offsets[0], and do not need the stride. */
typedef struct {
  cl_mem buffer; /**< a buffer of the library's context */
  size_t offset; /**< offset of the first element */
  /** Leading dimension: the distance between rows (row-major) or columns (column-major) as stored.
      0: without gaps, i.e. the length of a row or column. */
  size_t ld;
  size_t
      stride; /**< the i-th matrix starts at offset + i * stride. 0: one for all (A and B only) */
  /** NULL, or one offset for each product: the i-th matrix starts at offset + offsets[i]. */
  const size_t* offsets;
  const tw_packed* packed; /**< A and B of tw_execute only: a packed matrix instead of a buffer */
} tw_matrix;

/** Memory of the caller: a buffer, and the offset at which the memory starts. The buffer may be a
 * sub-buffer whose start is aligned likewise. */
typedef struct {
  cl_mem buffer; /**< NULL: the library allocates memory */
  size_t offset; /**< in bytes, for every type; a multiple of 128 */
} tw_memory;

/** Returns the default options.
 *
 * @return options that have the same effect as NULL: all members are 0 except for struct_size and
 * max_kept_bytes */
static inline tw_options tw_make_options(void) {
  tw_options options = {sizeof(tw_options),    NULL, NULL, 0,   0, NULL,
                        TW_DEFAULT_KEPT_BYTES, NULL, NULL, NULL};
  return options;
}

/** Returns a product of row-major matrices: C = A B.
 *
 * @param type, m, n, k  see tw_gemm_desc
 * @return a descriptor with these members and the defaults of the others */
static inline tw_gemm_desc tw_make_gemm_desc(tw_type type, size_t m, size_t n, size_t k) {
  tw_gemm_desc desc = {sizeof(tw_gemm_desc),
                       type,
                       TW_ROW_MAJOR,
                       TW_NO_TRANS,
                       TW_NO_TRANS,
                       m,
                       n,
                       k,
                       {1.0, 0.0},
                       {0.0, 0.0},
                       1,
                       NULL,
                       NULL,
                       0};
  return desc;
}

/** Returns a matrix.
 *
 * @param buffer, offset, ld  see tw_matrix
 * @return a matrix with these members; the others are 0 */
static inline tw_matrix tw_make_matrix(cl_mem buffer, size_t offset, size_t ld) {
  tw_matrix matrix = {buffer, offset, ld, 0, NULL, NULL};
  return matrix;
}

/** Returns a packed matrix as an argument of tw_execute.
 *
 * @param packed  see tw_pack
 * @return a matrix with this member; the others are 0 */
static inline tw_matrix tw_make_packed_matrix(const tw_packed* packed) {
  tw_matrix matrix = {NULL, 0, 0, 0, NULL, packed};
  return matrix;
}

/** Enqueues a product or a batch of products and returns without waiting. The first use of a kernel
 * compiles it. The arguments of all products of a batch are checked before the first one is
 * enqueued. The products may run in any order. If all products share A or B, and the other
 * matrices are consecutive rows or columns of one matrix, the batch runs as one larger product.
 * Matrices times vectors are products with n = 1; in row-major products an increment is an ld.
 *
 * @param library  an open library
 * @param queue  an in-order or out-of-order queue of the library's context and device
 * @param desc  the product
 * @param a, b  the factors; their buffers may be null if they are not read
 * @param c  the result, which must not overlap A, B or another C. Gaps between its rows or columns
 * are not written
 * @param num_wait, wait  the number of events to wait for, and the events; 0 and null: none
 * @param event  if not null, receives the event that completes when every C is written; the caller
 * must release it. If there is nothing to write, it completes after the events of the wait list; on
 * an out-of-order queue possibly only after all earlier commands of the queue. Its profiling times
 * are those of the last command; for the whole call on an in-order queue, subtract the
 * CL_PROFILING_COMMAND_END of a marker that was enqueued before the call from that of the event
 * @return TW_INVALID_VALUE, also if two C of a batch have the same offset, and for a packed matrix;
 * TW_INVALID_DIMENSION, TW_UNSUPPORTED_TYPE, TW_INVALID_LD_A, TW_INVALID_BUFFER_A,
 * TW_INSUFFICIENT_BUFFER_A and the same for B and C, TW_INVALID_QUEUE, before anything is enqueued;
 * TW_BUILD_FAILURE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_gemm(tw_library* library, cl_command_queue queue, const tw_gemm_desc* desc,
                         const tw_matrix* a, const tw_matrix* b, const tw_matrix* c,
                         cl_uint num_wait, const cl_event* wait, cl_event* event);

/** Writes a human-readable table of all plans for a product, best first. Loads the kernels; the
 * first use of a kernel compiles it.
 *
 * @param library  an open library
 * @param desc  the product; not a batch
 * @param a, b, c  only their offsets, leading dimensions and the alignment of their buffers are
 * used; buffers are not checked. NULL: without offset and gaps
 * @param out  receives the text, to be freed with tw_text_free: for each plan its predicted time,
 * in total and for each step, its kernels, and why it runs, is not usable or comes later. NULL
 * on failure
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_UNSUPPORTED_TYPE, TW_INVALID_LD_A, _B, _C,
 * TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_explain(tw_library* library, const tw_gemm_desc* desc, const tw_matrix* a,
                            const tw_matrix* b, const tw_matrix* c, char** out);

/** Frees a text returned by tw_explain, tw_network_explain or tw_team_explain.
 *
 * @param text  null is allowed */
TW_API void tw_text_free(char* text);

/** A plan: the kernels for products of one shape. tw_gemm plans, packs operands if the kernel needs
 * it, multiplies and frees. Done separately, these steps allow matrices such as weights to be
 * packed once and multiplied many times:
 *
 *     tw_plan_create(library, &product, NULL, NULL, NULL, &plan);
 *     tw_pack(plan, queue, TW_OPERAND_B, &b, NULL, 0, NULL, &weights, NULL);       // once
 *
 *     tw_matrix packed_b = tw_make_packed_matrix(weights);
 *     // any number of times:
 *     tw_execute(plan, queue, alpha, &a, &packed_b, beta, &c, NULL, 0, NULL, &event);
 *
 *     tw_packed_free(weights);
 *     tw_plan_free(plan);
 *
 * Plans and packed matrices are immutable: any number of threads may use them on any queues. Only
 * the function that frees one must be the last call for it. Both may be used after tw_close. */
typedef struct tw_plan tw_plan;

/** The factors of a product. */
typedef enum TW_INT_ENUM {
  TW_OPERAND_A = 0, /**< op(A) */
  TW_OPERAND_B = 1  /**< op(B) */
} tw_operand;

/** Creates a plan. Loads the kernels (the first use of a kernel compiles it), but allocates no
 * device memory.
 *
 * @param library  an open library
 * @param desc  the product; not a batch. alpha is ignored, and of beta only whether it is 0
 * matters, as a hint: each call of tw_execute has its own scalars
 * @param a, b, c  only their offsets, leading dimensions and the alignment of their buffers are
 * used; buffers are not checked. Matrices of tw_execute must be as aligned. NULL: without offset
 * and gaps
 * @param out  receives the plan; NULL on failure
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_UNSUPPORTED_TYPE, TW_INVALID_LD_A, _B, _C,
 * TW_BUILD_FAILURE, TW_OPENCL_ERROR */
TW_API tw_status tw_plan_create(tw_library* library, const tw_gemm_desc* desc, const tw_matrix* a,
                                const tw_matrix* b, const tw_matrix* c, tw_plan** out);

/** Frees the plan. Enqueued work completes, and packed matrices remain valid.
 *
 * @param plan  null is allowed */
TW_API void tw_plan_free(tw_plan* plan);

/** Returns the name of the product's kernel.
 *
 * @param plan  null is allowed
 * @return a string, valid until tw_plan_free; "" if C is empty or k is 0, and for null */
TW_API const char* tw_plan_kernel(const tw_plan* plan);

/** Explains the choice of the kernel, the additional steps, and the predicted time of each step.
 *
 * @param plan  null is allowed
 * @return a sentence, valid until tw_plan_free; "" for null */
TW_API const char* tw_plan_reason(const tw_plan* plan);

/** Returns the size of a packed operand.
 *
 * @param plan  null is allowed
 * @param operand  which one
 * @return bytes; 0 if the kernel can read the operand in place (packing then copies nothing), and
 * for an unknown operand */
TW_API size_t tw_plan_packed_bytes(const tw_plan* plan, tw_operand operand);

/** Returns whether a packed operand is an image. The library must create images, so tw_pack then
 * accepts no memory.
 *
 * @param plan  null is allowed
 * @param operand  which one
 * @return 1 if it is an image, otherwise 0 */
TW_API int tw_plan_packed_is_image(const tw_plan* plan, tw_operand operand);

/** Returns the memory that tw_execute needs for temporaries in buffers: operands that it packs, a
 * temporary C, or the parts of a split k. It is enough for every call; one whose operands are
 * packed already may need less.
 *
 * @param plan  null is allowed
 * @return bytes. In addition, tw_execute allocates packed operands that are images, and for complex
 * products packed and converted operands and an intermediate result */
TW_API size_t tw_plan_workspace_bytes(const tw_plan* plan);

/** Packs an operand: enqueues the packing, flushes the queue and returns without waiting. If the
 * kernel can read the operand in place (0 bytes), nothing is copied; *out then refers to the
 * caller's matrix, which must not be modified while *out is used.
 *
 * @param plan  a plan
 * @param queue  a queue of the plan's context and device
 * @param operand  which operand the matrix is
 * @param matrix  at least as aligned as planned
 * @param into  memory of at least tw_plan_packed_bytes() bytes, which must not be modified while
 * *out is used. NULL: the library allocates memory, which tw_packed_free frees. Ignored if nothing
 * is packed
 * @param num_wait, wait  events that packing waits for; 0 and null: none
 * @param out  receives the packed matrix; NULL on failure
 * @param event  if not null, receives the event that completes when the operand is packed; the
 * caller must release it. tw_execute always waits for it, on any queue. If nothing is packed, it
 * completes like that of tw_gemm if there is nothing to write
 * @return TW_INVALID_VALUE; for A TW_INVALID_LD_A, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A,
 * for B the same for B; TW_INVALID_PACKED_BUFFER, also if memory is given and an image is needed,
 * TW_INSUFFICIENT_PACKED_BUFFER; TW_WRONG_LAYOUT if the matrix is less aligned than planned;
 * TW_INVALID_QUEUE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_pack(const tw_plan* plan, cl_command_queue queue, tw_operand operand,
                         const tw_matrix* matrix, const tw_memory* into, cl_uint num_wait,
                         const cl_event* wait, tw_packed** out, cl_event* event);

/** Frees the packed matrix. Enqueued commands that use it still complete.
 *
 * @param packed  null is allowed */
TW_API void tw_packed_free(tw_packed* packed);

/** C = alpha op(A) op(B) + beta C like tw_gemm, with the plan's type, extents, layout and
 * transposes.
 *
 * @param plan, queue, alpha, beta, num_wait, wait, event  see tw_gemm
 * @param a, b  a packed matrix, or one in a buffer that is packed first if the plan requires this.
 * A packed matrix may come from another plan if it was packed for the same operand with the extents
 * and layout that this plan requires
 * @param c  see tw_gemm
 * @param workspace  memory of at least tw_plan_workspace_bytes() bytes. Nothing else may use it
 * until the product is complete. NULL: the library allocates memory. Ignored if the plan needs 0
 * bytes
 * @return like tw_gemm; TW_WRONG_LAYOUT if a packed matrix does not match the plan, or if a matrix
 * is less aligned than planned; TW_INVALID_WORKSPACE, TW_INSUFFICIENT_WORKSPACE */
TW_API tw_status tw_execute(const tw_plan* plan, cl_command_queue queue, tw_scalar alpha,
                            const tw_matrix* a, const tw_matrix* b, tw_scalar beta,
                            const tw_matrix* c, const tw_memory* workspace, cl_uint num_wait,
                            const cl_event* wait, cl_event* event);

/* Functions with the arguments of BLAS, for programs that are ported from it. */

/** tw_gemm with the arguments of BLAS: one product in single precision.
 *
 * @param library, queue, num_wait, wait, event  see tw_gemm
 * @param layout, trans_a, trans_b, m, n, k, alpha, beta  see tw_gemm_desc
 * @param a, offset_a, lda  the buffer of A, the offset of its first element, and its leading
 * dimension, which must not be 0
 * @param b, offset_b, ldb  the same for B
 * @param c, offset_c, ldc  the same for C, which must not overlap A or B
 * @return like tw_gemm */
TW_API tw_status tw_sgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          float alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, float beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemm in double precision.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, b, offset_b,
 * ldb, beta, c, offset_c, ldc, num_wait, wait, event  see tw_sgemm
 * @return like tw_gemm */
TW_API tw_status tw_dgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          double alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, double beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemm in half precision; the scalars are floats.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, b, offset_b,
 * ldb, beta, c, offset_c, ldc, num_wait, wait, event  see tw_sgemm
 * @return like tw_gemm */
TW_API tw_status tw_hgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          float alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, float beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemm for single-precision complex numbers. alpha and beta are rounded to single precision.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, b, offset_b,
 * ldb, beta, c, offset_c, ldc, num_wait, wait, event  see tw_sgemm
 * @return like tw_gemm */
TW_API tw_status tw_cgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          tw_scalar alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, tw_scalar beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemm for double-precision complex numbers.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, b, offset_b,
 * ldb, beta, c, offset_c, ldc, num_wait, wait, event  see tw_sgemm
 * @return like tw_gemm */
TW_API tw_status tw_zgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          tw_scalar alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, tw_scalar beta, cl_mem c, size_t offset_c,
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
 * TW_UNSUPPORTED_TYPE, TW_INVALID_QUEUE, before anything is enqueued; TW_BUILD_FAILURE,
 * TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_sgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, float alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          float beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** tw_sgemv in double precision.
 *
 * @param library, queue, layout, trans, m, n, alpha, a, offset_a, lda, x, offset_x, incx, beta, y,
 * offset_y, incy, num_wait, wait, event  see tw_sgemv
 * @return like tw_sgemv */
TW_API tw_status tw_dgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, double alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          double beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** tw_sgemv in half precision; the scalars are floats.
 *
 * @param library, queue, layout, trans, m, n, alpha, a, offset_a, lda, x, offset_x, incx, beta, y,
 * offset_y, incy, num_wait, wait, event  see tw_sgemv
 * @return like tw_sgemv */
TW_API tw_status tw_hgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, float alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          float beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** tw_sgemv for single-precision complex numbers. alpha and beta are rounded to single precision.
 *
 * @param library, queue, layout, trans, m, n, alpha, a, offset_a, lda, x, offset_x, incx, beta, y,
 * offset_y, incy, num_wait, wait, event  see tw_sgemv
 * @return like tw_sgemv */
TW_API tw_status tw_cgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, tw_scalar alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          tw_scalar beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** tw_sgemv for double-precision complex numbers.
 *
 * @param library, queue, layout, trans, m, n, alpha, a, offset_a, lda, x, offset_x, incx, beta, y,
 * offset_y, incy, num_wait, wait, event  see tw_sgemv
 * @return like tw_sgemv */
TW_API tw_status tw_zgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, tw_scalar alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          tw_scalar beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

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

#endif
