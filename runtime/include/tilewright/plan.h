/** @file
 * Packs operands once and multiplies them many times (C interface). Included by tilewright.h. */
#ifndef TILEWRIGHT_PLAN_H
#define TILEWRIGHT_PLAN_H

#include <tilewright/tilewright.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A plan: the kernels for products of one shape. Creating a plan is the first of the four steps of
 * tw_sgemm. Done separately, they allow matrices such as weights to be packed once and multiplied
 * many times:
 *
 *     tw_plan_create(library, layout, trans_a, trans_b, m, n, k,
 *                    0, lda, 0, ldb, 0.0f, 0, ldc, &plan);
 *
 *     // once: packs B
 *     tw_pack_b(plan, queue, b, 0, ldb, NULL, 0, 0, NULL, &packed_b, NULL);
 *
 *     // any number of times: C = A B, with the packed B
 *     tw_execute(plan, queue, 1.0f, a, 0, lda, NULL, NULL, 0, 0, packed_b,
 *                0.0f, c, 0, ldc, 0, NULL, &event);
 *
 *     tw_packed_free(packed_b);
 *     tw_plan_free(plan);
 *
 * Plans and packed matrices are immutable: any number of threads may use them on any queues. Only
 * the function that frees one must be the last call for it. Both may be used after tw_close. */
typedef struct tw_plan tw_plan;

/** A matrix that is packed for one operand of a plan. Created by tw_pack_a or tw_pack_b, freed by
 * tw_packed_free. */
typedef struct tw_packed tw_packed;

/** Creates a plan. Loads the kernels (the first use of a kernel compiles it), but allocates no
 * device memory.
 *
 * @param library  an open library
 * @param layout, trans_a, trans_b, m, n, k  see tw_sgemm
 * @param offset_a, lda, offset_b, ldb, offset_c, ldc  offsets and leading dimensions that the
 * matrices will have
 * @param beta  a hint: only whether it is 0 matters. Each call of tw_execute has its own alpha and
 * beta
 * @param out  receives the plan; NULL on failure
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, _B, _C, TW_BUILD_FAILURE,
 * TW_OPENCL_ERROR */
TW_API tw_status tw_plan_create(tw_library* library, tw_layout layout, tw_transpose trans_a,
                                tw_transpose trans_b, size_t m, size_t n, size_t k, size_t offset_a,
                                size_t lda, size_t offset_b, size_t ldb, float beta,
                                size_t offset_c, size_t ldc, tw_plan** out);

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

/** Returns the size of the packed A.
 *
 * @param plan  null is allowed
 * @return bytes; 0 if the kernel can read A in place. Packing then copies nothing */
TW_API size_t tw_plan_packed_a_bytes(const tw_plan* plan);

/** Returns the size of the packed B.
 *
 * @param plan  null is allowed
 * @return bytes; 0 if the kernel can read B in place. Packing then copies nothing */
TW_API size_t tw_plan_packed_b_bytes(const tw_plan* plan);

/** Returns whether the packed A is an image. The library must create images, so tw_pack_a then
 * accepts no buffer.
 *
 * @param plan  null is allowed
 * @return 1 if it is an image, otherwise 0 */
TW_API int tw_plan_packed_a_is_image(const tw_plan* plan);

/** Returns whether the packed B is an image. The library must create images, so tw_pack_b then
 * accepts no buffer.
 *
 * @param plan  null is allowed
 * @return 1 if it is an image, otherwise 0 */
TW_API int tw_plan_packed_b_is_image(const tw_plan* plan);

/** Returns the memory that tw_execute needs for a temporary C or for the parts of a split k. The
 * library allocates it or, with tw_execute_in, the caller provides it.
 *
 * @param plan  null is allowed
 * @return bytes. In addition, tw_execute allocates memory for each operand that must be packed and
 * is not */
TW_API size_t tw_plan_workspace_bytes(const tw_plan* plan);

/** Packs A: enqueues the packing, flushes the queue and returns without waiting. If the kernel can
 * read A in place (0 bytes), nothing is copied; *out then refers to the caller's matrix, which
 * must not be modified while *out is used.
 *
 * @param plan  a plan
 * @param queue  a queue of the plan's context and device
 * @param a, offset_a, lda  the matrix, at least as aligned as planned
 * @param into, offset_into  a buffer with at least tw_plan_packed_a_bytes() bytes after
 * offset_into elements, which must be a multiple of 16. If it is null, the library allocates
 * memory, which tw_packed_free frees. Ignored if nothing is packed
 * @param num_wait, wait  events that packing waits for; 0 and null: none
 * @param out  receives the packed matrix; NULL on failure
 * @param event  if not null, receives the event that completes when A is packed; the caller must
 * release it. tw_execute always waits for it, on any queue
 * @return TW_INVALID_LD_A, TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A; TW_INVALID_PACKED_BUFFER,
 * also if a buffer is given and an image is needed, TW_INSUFFICIENT_PACKED_BUFFER; TW_WRONG_LAYOUT
 * if the matrix is less aligned than planned; TW_INVALID_QUEUE, TW_OUT_OF_MEMORY, TW_OPENCL_ERROR
 */
TW_API tw_status tw_pack_a(const tw_plan* plan, cl_command_queue queue, cl_mem a, size_t offset_a,
                           size_t lda, cl_mem into, size_t offset_into, cl_uint num_wait,
                           const cl_event* wait, tw_packed** out, cl_event* event);

/** Packs B, like tw_pack_a for A.
 *
 * @param plan, queue, num_wait, wait, out, event  see tw_pack_a
 * @param b, offset_b, ldb  the matrix, at least as aligned as planned
 * @param into, offset_into  see tw_pack_a, with tw_plan_packed_b_bytes() bytes
 * @return like tw_pack_a, with the errors for B */
TW_API tw_status tw_pack_b(const tw_plan* plan, cl_command_queue queue, cl_mem b, size_t offset_b,
                           size_t ldb, cl_mem into, size_t offset_into, cl_uint num_wait,
                           const cl_event* wait, tw_packed** out, cl_event* event);

/** Frees the packed matrix. Enqueued commands that use it still complete.
 *
 * @param packed  null is allowed */
TW_API void tw_packed_free(tw_packed* packed);

/** C = alpha op(A) op(B) + beta C like tw_sgemm, with the plan's extents, layout and transposes.
 * Also accepts plans for other real types; alpha and beta are floats (tw_dexecute: doubles).
 *
 * @param plan, queue, alpha, beta, num_wait, wait, event  see tw_sgemm
 * @param packed_a  packed A, or null. It may come from another plan if it was packed for the same
 * operand with the extents and layout that this plan requires
 * @param a, offset_a, lda  A, if packed_a is null; it is packed first if the plan requires this.
 * Otherwise ignored
 * @param packed_b, b, offset_b, ldb  the same for B
 * @param c, offset_c, ldc  C; see tw_sgemm
 * @return like tw_sgemm; TW_WRONG_LAYOUT if a packed matrix does not match the plan, or if a
 * matrix is less aligned than planned */
TW_API tw_status tw_execute(const tw_plan* plan, cl_command_queue queue, float alpha, cl_mem a,
                            size_t offset_a, size_t lda, const tw_packed* packed_a, cl_mem b,
                            size_t offset_b, size_t ldb, const tw_packed* packed_b, float beta,
                            cl_mem c, size_t offset_c, size_t ldc, cl_uint num_wait,
                            const cl_event* wait, cl_event* event);

/** tw_execute with a workspace of the caller for the temporary between the product and C.
 *
 * @param plan, queue, alpha, a, offset_a, lda, packed_a, b, offset_b, ldb, packed_b, beta, c,
 * offset_c, ldc, num_wait, wait, event  see tw_execute
 * @param workspace, offset_workspace  a buffer with at least tw_plan_workspace_bytes() bytes after
 * offset_workspace elements, which must be a multiple of 16. Nothing else may use it until the
 * product is complete. Null: the library allocates memory. Ignored if the plan needs 0 bytes
 * @return like tw_execute; TW_INVALID_WORKSPACE, TW_INSUFFICIENT_WORKSPACE */
TW_API tw_status tw_execute_in(const tw_plan* plan, cl_command_queue queue, float alpha, cl_mem a,
                               size_t offset_a, size_t lda, const tw_packed* packed_a, cl_mem b,
                               size_t offset_b, size_t ldb, const tw_packed* packed_b, float beta,
                               cl_mem c, size_t offset_c, size_t ldc, cl_mem workspace,
                               size_t offset_workspace, cl_uint num_wait, const cl_event* wait,
                               cl_event* event);

#ifdef __cplusplus
}
#endif

#include <tilewright/complex.h>
#include <tilewright/double.h>
#include <tilewright/half.h>

#endif
