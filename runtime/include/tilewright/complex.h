/** @file
 * Functions for complex matrices (C interface).
 *
 * They correspond to the single-precision functions. An element is a cl_float2 (functions with the
 * letter c) or a cl_double2 (letter z; requires a device with cl_khr_fp64): the real part, then
 * the imaginary part. TW_CONJ_TRANS is the conjugate transpose. The kernels for real numbers are
 * used; offsets, leading dimensions and strides count complex elements. */
#ifndef TILEWRIGHT_COMPLEX_H
#define TILEWRIGHT_COMPLEX_H

#include <tilewright/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** tw_explain for single-precision complex matrices.
 *
 * @param library, layout, trans_a, trans_b, m, n, k, alpha, offset_a, lda, offset_b, ldb, beta,
 * offset_c, ldc, out  see tw_explain
 * @return like tw_explain */
TW_API tw_status tw_cexplain(tw_library* library, tw_layout layout, tw_transpose trans_a,
                             tw_transpose trans_b, size_t m, size_t n, size_t k, cl_float2 alpha,
                             size_t offset_a, size_t lda, size_t offset_b, size_t ldb,
                             cl_float2 beta, size_t offset_c, size_t ldc, char** out);

/** tw_sgemm for single-precision complex numbers.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, b, offset_b,
 * ldb, beta, c, offset_c, ldc, num_wait, wait, event  see tw_sgemm
 * @return like tw_sgemm */
TW_API tw_status tw_cgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          cl_float2 alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, cl_float2 beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemv for single-precision complex numbers.
 *
 * @param library, queue, layout, trans, m, n, alpha, a, offset_a, lda, x, offset_x, incx, beta, y,
 * offset_y, incy, num_wait, wait, event  see tw_sgemv
 * @return like tw_sgemv */
TW_API tw_status tw_cgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, cl_float2 alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          cl_float2 beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** tw_sgemm_strided_batched for single-precision complex numbers.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, stride_a, b,
 * offset_b, ldb, stride_b, beta, c, offset_c, ldc, stride_c, count, num_wait, wait, event  see
 * tw_sgemm_strided_batched
 * @return like tw_sgemm_strided_batched */
TW_API tw_status tw_cgemm_strided_batched(
    tw_library* library, cl_command_queue queue, tw_layout layout, tw_transpose trans_a,
    tw_transpose trans_b, size_t m, size_t n, size_t k, cl_float2 alpha, cl_mem a, size_t offset_a,
    size_t lda, size_t stride_a, cl_mem b, size_t offset_b, size_t ldb, size_t stride_b,
    cl_float2 beta, cl_mem c, size_t offset_c, size_t ldc, size_t stride_c, size_t count,
    cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemm_batched for single-precision complex numbers.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alphas, a, offsets_a, lda, b,
 * offsets_b, ldb, betas, c, offsets_c, ldc, count, num_wait, wait, event  see tw_sgemm_batched
 * @return like tw_sgemm_batched */
TW_API tw_status tw_cgemm_batched(tw_library* library, cl_command_queue queue, tw_layout layout,
                                  tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n,
                                  size_t k, const cl_float2* alphas, cl_mem a,
                                  const size_t* offsets_a, size_t lda, cl_mem b,
                                  const size_t* offsets_b, size_t ldb, const cl_float2* betas,
                                  cl_mem c, const size_t* offsets_c, size_t ldc, size_t count,
                                  cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_plan_create for single-precision complex matrices. Use tw_cexecute to multiply; all other
 * functions for plans accept it, too.
 *
 * @param library, layout, trans_a, trans_b, m, n, k, offset_a, lda, offset_b, ldb, beta, offset_c,
 * ldc, out  see tw_plan_create
 * @return like tw_plan_create */
TW_API tw_status tw_cplan_create(tw_library* library, tw_layout layout, tw_transpose trans_a,
                                 tw_transpose trans_b, size_t m, size_t n, size_t k,
                                 size_t offset_a, size_t lda, size_t offset_b, size_t ldb,
                                 cl_float2 beta, size_t offset_c, size_t ldc, tw_plan** out);

/** tw_explain for double-precision complex matrices.
 *
 * @param library, layout, trans_a, trans_b, m, n, k, alpha, offset_a, lda, offset_b, ldb, beta,
 * offset_c, ldc, out  see tw_explain
 * @return like tw_explain */
TW_API tw_status tw_zexplain(tw_library* library, tw_layout layout, tw_transpose trans_a,
                             tw_transpose trans_b, size_t m, size_t n, size_t k, cl_double2 alpha,
                             size_t offset_a, size_t lda, size_t offset_b, size_t ldb,
                             cl_double2 beta, size_t offset_c, size_t ldc, char** out);

/** tw_sgemm for double-precision complex numbers.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, b, offset_b,
 * ldb, beta, c, offset_c, ldc, num_wait, wait, event  see tw_sgemm
 * @return like tw_sgemm */
TW_API tw_status tw_zgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          cl_double2 alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, cl_double2 beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemv for double-precision complex numbers.
 *
 * @param library, queue, layout, trans, m, n, alpha, a, offset_a, lda, x, offset_x, incx, beta, y,
 * offset_y, incy, num_wait, wait, event  see tw_sgemv
 * @return like tw_sgemv */
TW_API tw_status tw_zgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, cl_double2 alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          cl_double2 beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** tw_sgemm_strided_batched for double-precision complex numbers.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, stride_a, b,
 * offset_b, ldb, stride_b, beta, c, offset_c, ldc, stride_c, count, num_wait, wait, event  see
 * tw_sgemm_strided_batched
 * @return like tw_sgemm_strided_batched */
TW_API tw_status tw_zgemm_strided_batched(
    tw_library* library, cl_command_queue queue, tw_layout layout, tw_transpose trans_a,
    tw_transpose trans_b, size_t m, size_t n, size_t k, cl_double2 alpha, cl_mem a, size_t offset_a,
    size_t lda, size_t stride_a, cl_mem b, size_t offset_b, size_t ldb, size_t stride_b,
    cl_double2 beta, cl_mem c, size_t offset_c, size_t ldc, size_t stride_c, size_t count,
    cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemm_batched for double-precision complex numbers.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alphas, a, offsets_a, lda, b,
 * offsets_b, ldb, betas, c, offsets_c, ldc, count, num_wait, wait, event  see tw_sgemm_batched
 * @return like tw_sgemm_batched */
TW_API tw_status tw_zgemm_batched(tw_library* library, cl_command_queue queue, tw_layout layout,
                                  tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n,
                                  size_t k, const cl_double2* alphas, cl_mem a,
                                  const size_t* offsets_a, size_t lda, cl_mem b,
                                  const size_t* offsets_b, size_t ldb, const cl_double2* betas,
                                  cl_mem c, const size_t* offsets_c, size_t ldc, size_t count,
                                  cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_plan_create for double-precision complex matrices. Use tw_zexecute to multiply; all other
 * functions for plans accept it, too.
 *
 * @param library, layout, trans_a, trans_b, m, n, k, offset_a, lda, offset_b, ldb, beta, offset_c,
 * ldc, out  see tw_plan_create
 * @return like tw_plan_create */
TW_API tw_status tw_zplan_create(tw_library* library, tw_layout layout, tw_transpose trans_a,
                                 tw_transpose trans_b, size_t m, size_t n, size_t k,
                                 size_t offset_a, size_t lda, size_t offset_b, size_t ldb,
                                 cl_double2 beta, size_t offset_c, size_t ldc, tw_plan** out);

/** tw_execute for a plan of tw_cplan_create. For a plan of real matrices the scalars must be real.
 *
 * @param plan, queue, alpha, a, offset_a, lda, packed_a, b, offset_b, ldb, packed_b, beta, c,
 * offset_c, ldc, num_wait, wait, event  see tw_execute
 * @return like tw_execute */
TW_API tw_status tw_cexecute(const tw_plan* plan, cl_command_queue queue, cl_float2 alpha, cl_mem a,
                             size_t offset_a, size_t lda, const tw_packed* packed_a, cl_mem b,
                             size_t offset_b, size_t ldb, const tw_packed* packed_b, cl_float2 beta,
                             cl_mem c, size_t offset_c, size_t ldc, cl_uint num_wait,
                             const cl_event* wait, cl_event* event);

/** The same with the caller's workspace; see tw_execute_in.
 *
 * @param plan, queue, alpha, a, offset_a, lda, packed_a, b, offset_b, ldb, packed_b, beta, c,
 * offset_c, ldc, workspace, offset_workspace, num_wait, wait, event  see tw_execute_in
 * @return like tw_execute_in */
TW_API tw_status tw_cexecute_in(const tw_plan* plan, cl_command_queue queue, cl_float2 alpha,
                                cl_mem a, size_t offset_a, size_t lda, const tw_packed* packed_a,
                                cl_mem b, size_t offset_b, size_t ldb, const tw_packed* packed_b,
                                cl_float2 beta, cl_mem c, size_t offset_c, size_t ldc,
                                cl_mem workspace, size_t offset_workspace, cl_uint num_wait,
                                const cl_event* wait, cl_event* event);

/** tw_execute for a plan of tw_zplan_create. For a plan of real matrices the scalars must be real.
 *
 * @param plan, queue, alpha, a, offset_a, lda, packed_a, b, offset_b, ldb, packed_b, beta, c,
 * offset_c, ldc, num_wait, wait, event  see tw_execute
 * @return like tw_execute */
TW_API tw_status tw_zexecute(const tw_plan* plan, cl_command_queue queue, cl_double2 alpha,
                             cl_mem a, size_t offset_a, size_t lda, const tw_packed* packed_a,
                             cl_mem b, size_t offset_b, size_t ldb, const tw_packed* packed_b,
                             cl_double2 beta, cl_mem c, size_t offset_c, size_t ldc,
                             cl_uint num_wait, const cl_event* wait, cl_event* event);

/** The same with the caller's workspace; see tw_execute_in.
 *
 * @param plan, queue, alpha, a, offset_a, lda, packed_a, b, offset_b, ldb, packed_b, beta, c,
 * offset_c, ldc, workspace, offset_workspace, num_wait, wait, event  see tw_execute_in
 * @return like tw_execute_in */
TW_API tw_status tw_zexecute_in(const tw_plan* plan, cl_command_queue queue, cl_double2 alpha,
                                cl_mem a, size_t offset_a, size_t lda, const tw_packed* packed_a,
                                cl_mem b, size_t offset_b, size_t ldb, const tw_packed* packed_b,
                                cl_double2 beta, cl_mem c, size_t offset_c, size_t ldc,
                                cl_mem workspace, size_t offset_workspace, cl_uint num_wait,
                                const cl_event* wait, cl_event* event);

#ifdef __cplusplus
}
#endif

#endif
