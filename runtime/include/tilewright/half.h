/** @file
 * How are matrices of halfs multiplied, in C?
 *
 * As those of floats, on every device: kernels read halfs (cl_half, IEEE 754's binary16) as floats,
 * sum up floats, and round what they write to the nearest half, ties to even; what is beyond 65504
 * becomes infinite. (Only kernels of a profile that was tuned with `--only accumulate_k=...` add up
 * some products in halfs, each sum below 65504.) Scalars are floats. Offsets, leading dimensions
 * and strides count halfs. */
#ifndef TILEWRIGHT_HALF_H
#define TILEWRIGHT_HALF_H

#include <tilewright/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** tw_explain for matrices of halfs.
 *
 * @param library, layout, trans_a, trans_b, m, n, k, alpha, offset_a, lda, offset_b, ldb, beta,
 * offset_c, ldc, out  as of tw_explain
 * @return as tw_explain */
TW_API tw_status tw_hexplain(tw_library* library, tw_layout layout, tw_transpose trans_a,
                             tw_transpose trans_b, size_t m, size_t n, size_t k, float alpha,
                             size_t offset_a, size_t lda, size_t offset_b, size_t ldb, float beta,
                             size_t offset_c, size_t ldc, char** out);

/** tw_sgemm of halfs.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, b, offset_b,
 * ldb, beta, c, offset_c, ldc, num_wait, wait, event  as of tw_sgemm
 * @return as tw_sgemm */
TW_API tw_status tw_hgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          float alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, float beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemv of halfs.
 *
 * @param library, queue, layout, trans, m, n, alpha, a, offset_a, lda, x, offset_x, incx, beta, y,
 * offset_y, incy, num_wait, wait, event  as of tw_sgemv
 * @return as tw_sgemv */
TW_API tw_status tw_hgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, float alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          float beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** tw_sgemm_strided_batched of halfs.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, stride_a, b,
 * offset_b, ldb, stride_b, beta, c, offset_c, ldc, stride_c, count, num_wait, wait, event  as of
 * tw_sgemm_strided_batched
 * @return as tw_sgemm_strided_batched */
TW_API tw_status tw_hgemm_strided_batched(tw_library* library, cl_command_queue queue,
                                          tw_layout layout, tw_transpose trans_a,
                                          tw_transpose trans_b, size_t m, size_t n, size_t k,
                                          float alpha, cl_mem a, size_t offset_a, size_t lda,
                                          size_t stride_a, cl_mem b, size_t offset_b, size_t ldb,
                                          size_t stride_b, float beta, cl_mem c, size_t offset_c,
                                          size_t ldc, size_t stride_c, size_t count,
                                          cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemm_batched of halfs.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alphas, a, offsets_a, lda, b,
 * offsets_b, ldb, betas, c, offsets_c, ldc, count, num_wait, wait, event  as of tw_sgemm_batched
 * @return as tw_sgemm_batched */
TW_API tw_status tw_hgemm_batched(tw_library* library, cl_command_queue queue, tw_layout layout,
                                  tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n,
                                  size_t k, const float* alphas, cl_mem a, const size_t* offsets_a,
                                  size_t lda, cl_mem b, const size_t* offsets_b, size_t ldb,
                                  const float* betas, cl_mem c, const size_t* offsets_c, size_t ldc,
                                  size_t count, cl_uint num_wait, const cl_event* wait,
                                  cl_event* event);

/** tw_plan_create for matrices of halfs; all else that takes a plan serves it, too.
 *
 * @param library, layout, trans_a, trans_b, m, n, k, offset_a, lda, offset_b, ldb, beta, offset_c,
 * ldc, out  as of tw_plan_create
 * @return as tw_plan_create */
TW_API tw_status tw_hplan_create(tw_library* library, tw_layout layout, tw_transpose trans_a,
                                 tw_transpose trans_b, size_t m, size_t n, size_t k,
                                 size_t offset_a, size_t lda, size_t offset_b, size_t ldb,
                                 float beta, size_t offset_c, size_t ldc, tw_plan** out);

#ifdef __cplusplus
}
#endif

#endif
