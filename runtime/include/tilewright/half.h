/** @file
 * Functions for half-precision matrices (C interface).
 *
 * They correspond to the single-precision functions and work on every device. Kernels convert
 * half-precision elements (cl_half, binary16 of IEEE 754) to floats, accumulate in single
 * precision, and round results to the nearest half-precision number, ties to even; results beyond
 * 65504 become infinite. (Only kernels of a profile that was tuned with `--only accumulate_k=...`
 * accumulate some products in half precision; each such sum must stay below 65504.) Scalars are
 * floats. Offsets, leading dimensions and strides count elements. */
#ifndef TILEWRIGHT_HALF_H
#define TILEWRIGHT_HALF_H

#include <tilewright/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** tw_explain for half-precision matrices.
 *
 * @param library, layout, trans_a, trans_b, m, n, k, alpha, offset_a, lda, offset_b, ldb, beta,
 * offset_c, ldc, out  see tw_explain
 * @return like tw_explain */
TW_API tw_status tw_hexplain(tw_library* library, tw_layout layout, tw_transpose trans_a,
                             tw_transpose trans_b, size_t m, size_t n, size_t k, float alpha,
                             size_t offset_a, size_t lda, size_t offset_b, size_t ldb, float beta,
                             size_t offset_c, size_t ldc, char** out);

/** tw_sgemm in half precision.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, b, offset_b,
 * ldb, beta, c, offset_c, ldc, num_wait, wait, event  see tw_sgemm
 * @return like tw_sgemm */
TW_API tw_status tw_hgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          float alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, float beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemv in half precision.
 *
 * @param library, queue, layout, trans, m, n, alpha, a, offset_a, lda, x, offset_x, incx, beta, y,
 * offset_y, incy, num_wait, wait, event  see tw_sgemv
 * @return like tw_sgemv */
TW_API tw_status tw_hgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, float alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          float beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** tw_sgemm_strided_batched in half precision.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, stride_a, b,
 * offset_b, ldb, stride_b, beta, c, offset_c, ldc, stride_c, count, num_wait, wait, event  see
 * tw_sgemm_strided_batched
 * @return like tw_sgemm_strided_batched */
TW_API tw_status tw_hgemm_strided_batched(tw_library* library, cl_command_queue queue,
                                          tw_layout layout, tw_transpose trans_a,
                                          tw_transpose trans_b, size_t m, size_t n, size_t k,
                                          float alpha, cl_mem a, size_t offset_a, size_t lda,
                                          size_t stride_a, cl_mem b, size_t offset_b, size_t ldb,
                                          size_t stride_b, float beta, cl_mem c, size_t offset_c,
                                          size_t ldc, size_t stride_c, size_t count,
                                          cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemm_batched in half precision.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alphas, a, offsets_a, lda, b,
 * offsets_b, ldb, betas, c, offsets_c, ldc, count, num_wait, wait, event  see tw_sgemm_batched
 * @return like tw_sgemm_batched */
TW_API tw_status tw_hgemm_batched(tw_library* library, cl_command_queue queue, tw_layout layout,
                                  tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n,
                                  size_t k, const float* alphas, cl_mem a, const size_t* offsets_a,
                                  size_t lda, cl_mem b, const size_t* offsets_b, size_t ldb,
                                  const float* betas, cl_mem c, const size_t* offsets_c, size_t ldc,
                                  size_t count, cl_uint num_wait, const cl_event* wait,
                                  cl_event* event);

/** tw_plan_create for half-precision matrices. All other functions for plans accept it, too.
 *
 * @param library, layout, trans_a, trans_b, m, n, k, offset_a, lda, offset_b, ldb, beta, offset_c,
 * ldc, out  see tw_plan_create
 * @return like tw_plan_create */
TW_API tw_status tw_hplan_create(tw_library* library, tw_layout layout, tw_transpose trans_a,
                                 tw_transpose trans_b, size_t m, size_t n, size_t k,
                                 size_t offset_a, size_t lda, size_t offset_b, size_t ldb,
                                 float beta, size_t offset_c, size_t ldc, tw_plan** out);

#ifdef __cplusplus
}
#endif

#endif
