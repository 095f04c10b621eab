/** @file
 * How are operands packed once and multiplied many times, in C? Included by tilewright.h. */
#ifndef TILEWRIGHT_PLAN_H
#define TILEWRIGHT_PLAN_H

#include <tilewright/tilewright.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How products of one shape are served: the first of the four steps behind tw_sgemm, which can be
 * taken one by one, so that matrices (weights) are packed once and multiplied many times:
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
 * Plans and packed matrices never change: any number of threads may use one, on any queues; only
 * its free must be the last call on it. Both may outlive tw_close. */
typedef struct tw_plan tw_plan;

/** A matrix as it is packed for one operand of a plan: tw_pack_a or tw_pack_b makes it,
 * tw_packed_free frees it. */
typedef struct tw_packed tw_packed;

/** Plans: loads the kernels (the first use of one compiles it), allocates no device memory.
 *
 * @param library  which is open
 * @param layout, trans_a, trans_b, m, n, k  as of tw_sgemm
 * @param offset_a, lda, offset_b, ldb, offset_c, ldc  those that the matrices will have
 * @param beta  only whether it is 0 counts, as a hint; alpha and beta are of each tw_execute
 * @param out  where the plan goes; NULL on failure
 * @return TW_INVALID_VALUE, TW_INVALID_DIMENSION, TW_INVALID_LD_A, _B, _C, TW_BUILD_FAILURE,
 * TW_OPENCL_ERROR */
TW_API tw_status tw_plan_create(tw_library* library, tw_layout layout, tw_transpose trans_a,
                                tw_transpose trans_b, size_t m, size_t n, size_t k, size_t offset_a,
                                size_t lda, size_t offset_b, size_t ldb, float beta,
                                size_t offset_c, size_t ldc, tw_plan** out);

/** Frees the plan. What is enqueued goes on, what is packed stays.
 *
 * @param plan  null is allowed */
TW_API void tw_plan_free(tw_plan* plan);

/** The name of the product's kernel.
 *
 * @param plan  null is allowed
 * @return "" where C is empty or k is 0, and of no plan; valid until tw_plan_free */
TW_API const char* tw_plan_kernel(const tw_plan* plan);

/** Why that kernel, what is done beside it, and how long each part is predicted to take.
 *
 * @param plan  null is allowed
 * @return a sentence, valid until tw_plan_free; "" of no plan */
TW_API const char* tw_plan_reason(const tw_plan* plan);

/** The size of A as the kernel wants it packed.
 *
 * @param plan  null is allowed
 * @return bytes; 0 where the kernel reads A as it lies, and packing copies nothing */
TW_API size_t tw_plan_packed_a_bytes(const tw_plan* plan);

/** The size of B as the kernel wants it packed.
 *
 * @param plan  null is allowed
 * @return bytes; 0 where the kernel reads B as it lies, and packing copies nothing */
TW_API size_t tw_plan_packed_b_bytes(const tw_plan* plan);

/** Is packed A an image, which the library must make? tw_pack_a then takes no buffer.
 *
 * @param plan  null is allowed
 * @return 1 if so, else 0 */
TW_API int tw_plan_packed_a_is_image(const tw_plan* plan);

/** Is packed B an image, which the library must make? tw_pack_b then takes no buffer.
 *
 * @param plan  null is allowed
 * @return 1 if so, else 0 */
TW_API int tw_plan_packed_b_is_image(const tw_plan* plan);

/** What tw_execute needs for C or the parts of a split k, in memory of the library's or, with
 * tw_execute_in, the caller's.
 *
 * @param plan  null is allowed
 * @return bytes; beside them, tw_execute takes from the library those of each operand that should
 * be packed and is not */
TW_API size_t tw_plan_workspace_bytes(const tw_plan* plan);

/** Packs A, asynchronous: enqueues packing it and flushes the queue. Where the plan packs nothing
 * (0 bytes), nothing is copied: *out stands for the caller's matrix, which must keep its contents.
 *
 * @param plan  which wants A
 * @param queue  of the plan's context and device
 * @param a, offset_a, lda  the matrix, as aligned as planned
 * @param into, offset_into  a buffer of tw_plan_packed_a_bytes() bytes or more behind offset_into
 * elements, a multiple of 16; with a null buffer, memory of the library's own, which tw_packed_free
 * frees. Not looked at where the plan packs nothing
 * @param num_wait, wait  events that packing waits for; 0 and null: none
 * @param out  where the packed matrix goes; NULL on failure
 * @param event  if not null, gets the event that completes when A is packed; the caller's to
 * release. tw_execute waits for it by itself, on any queue
 * @return TW_INVALID_LD_A; TW_INVALID_BUFFER_A, TW_INSUFFICIENT_BUFFER_A for either buffer;
 * TW_INVALID_VALUE for an offset_into that is no multiple, or a buffer where an image is needed;
 * TW_WRONG_LAYOUT for a matrix that is less aligned than planned; TW_INVALID_QUEUE,
 * TW_OUT_OF_MEMORY, TW_OPENCL_ERROR */
TW_API tw_status tw_pack_a(const tw_plan* plan, cl_command_queue queue, cl_mem a, size_t offset_a,
                           size_t lda, cl_mem into, size_t offset_into, cl_uint num_wait,
                           const cl_event* wait, tw_packed** out, cl_event* event);

/** Packs B, as tw_pack_a packs A.
 *
 * @param plan, queue, num_wait, wait, out, event  as of tw_pack_a
 * @param b, offset_b, ldb  the matrix, as aligned as planned
 * @param into, offset_into  as of tw_pack_a, for tw_plan_packed_b_bytes() bytes
 * @return as tw_pack_a, with the errors of B */
TW_API tw_status tw_pack_b(const tw_plan* plan, cl_command_queue queue, cl_mem b, size_t offset_b,
                           size_t ldb, cl_mem into, size_t offset_into, cl_uint num_wait,
                           const cl_event* wait, tw_packed** out, cl_event* event);

/** Frees the packed matrix. Commands that are enqueued keep what they need.
 *
 * @param packed  null is allowed */
TW_API void tw_packed_free(tw_packed* packed);

/** C = alpha op(A) op(B) + beta C, as tw_sgemm, with the plan's extents, layout and transposes. Of
 * a plan for another type, too: alpha and beta are floats (tw_dexecute: doubles).
 *
 * @param plan, queue, alpha, beta, num_wait, wait, event  as of tw_sgemm
 * @param packed_a  packed A, or null. It may come from another plan if it was packed for the same
 * operand with the extents and layout that this plan wants
 * @param a, offset_a, lda  A, if packed_a is null: packed on the way where the plan wants it
 * packed. Else not looked at
 * @param packed_b, b, offset_b, ldb  the same of B
 * @param c, offset_c, ldc  C, as of tw_sgemm
 * @return as tw_sgemm; TW_WRONG_LAYOUT for a packed matrix that is not as the plan wants it, and
 * for a matrix that is less aligned than planned */
TW_API tw_status tw_execute(const tw_plan* plan, cl_command_queue queue, float alpha, cl_mem a,
                            size_t offset_a, size_t lda, const tw_packed* packed_a, cl_mem b,
                            size_t offset_b, size_t ldb, const tw_packed* packed_b, float beta,
                            cl_mem c, size_t offset_c, size_t ldc, cl_uint num_wait,
                            const cl_event* wait, cl_event* event);

/** tw_execute with what lies between the product and C in memory of the caller's.
 *
 * @param plan, queue, alpha, a, offset_a, lda, packed_a, b, offset_b, ldb, packed_b, beta, c,
 * offset_c, ldc, num_wait, wait, event  as of tw_execute
 * @param workspace, offset_workspace  a buffer of tw_plan_workspace_bytes() bytes or more behind
 * offset_workspace elements, a multiple of 16, which nothing else may use until the product is
 * done. Null: memory of the library's. Not looked at where the plan needs 0 bytes
 * @return as tw_execute; of the workspace TW_INVALID_VALUE (offset), TW_INVALID_BUFFER_C,
 * TW_INSUFFICIENT_BUFFER_C */
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
