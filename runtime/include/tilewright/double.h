/** @file
 * Functions for double-precision matrices (C interface).
 *
 * They correspond to the single-precision functions and require a device with cl_khr_fp64. On
 * other devices they return TW_UNSUPPORTED_TYPE. */
#ifndef TILEWRIGHT_DOUBLE_H
#define TILEWRIGHT_DOUBLE_H

#include <tilewright/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** tw_explain for double-precision matrices.
 *
 * @param library, layout, trans_a, trans_b, m, n, k, alpha, offset_a, lda, offset_b, ldb, beta,
 * offset_c, ldc, out  see tw_explain
 * @return like tw_explain */
TW_API tw_status tw_dexplain(tw_library* library, tw_layout layout, tw_transpose trans_a,
                             tw_transpose trans_b, size_t m, size_t n, size_t k, double alpha,
                             size_t offset_a, size_t lda, size_t offset_b, size_t ldb, double beta,
                             size_t offset_c, size_t ldc, char** out);

/** tw_sgemm in double precision.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, b, offset_b,
 * ldb, beta, c, offset_c, ldc, num_wait, wait, event  see tw_sgemm
 * @return like tw_sgemm; TW_UNSUPPORTED_TYPE */
TW_API tw_status tw_dgemm(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n, size_t k,
                          double alpha, cl_mem a, size_t offset_a, size_t lda, cl_mem b,
                          size_t offset_b, size_t ldb, double beta, cl_mem c, size_t offset_c,
                          size_t ldc, cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemv in double precision.
 *
 * @param library, queue, layout, trans, m, n, alpha, a, offset_a, lda, x, offset_x, incx, beta, y,
 * offset_y, incy, num_wait, wait, event  see tw_sgemv
 * @return like tw_sgemv; TW_UNSUPPORTED_TYPE */
TW_API tw_status tw_dgemv(tw_library* library, cl_command_queue queue, tw_layout layout,
                          tw_transpose trans, size_t m, size_t n, double alpha, cl_mem a,
                          size_t offset_a, size_t lda, cl_mem x, size_t offset_x, size_t incx,
                          double beta, cl_mem y, size_t offset_y, size_t incy, cl_uint num_wait,
                          const cl_event* wait, cl_event* event);

/** tw_sgemm_strided_batched in double precision.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alpha, a, offset_a, lda, stride_a, b,
 * offset_b, ldb, stride_b, beta, c, offset_c, ldc, stride_c, count, num_wait, wait, event  see
 * tw_sgemm_strided_batched
 * @return like tw_sgemm_strided_batched; TW_UNSUPPORTED_TYPE */
TW_API tw_status tw_dgemm_strided_batched(tw_library* library, cl_command_queue queue,
                                          tw_layout layout, tw_transpose trans_a,
                                          tw_transpose trans_b, size_t m, size_t n, size_t k,
                                          double alpha, cl_mem a, size_t offset_a, size_t lda,
                                          size_t stride_a, cl_mem b, size_t offset_b, size_t ldb,
                                          size_t stride_b, double beta, cl_mem c, size_t offset_c,
                                          size_t ldc, size_t stride_c, size_t count,
                                          cl_uint num_wait, const cl_event* wait, cl_event* event);

/** tw_sgemm_batched in double precision.
 *
 * @param library, queue, layout, trans_a, trans_b, m, n, k, alphas, a, offsets_a, lda, b,
 * offsets_b, ldb, betas, c, offsets_c, ldc, count, num_wait, wait, event  see tw_sgemm_batched
 * @return like tw_sgemm_batched; TW_UNSUPPORTED_TYPE */
TW_API tw_status tw_dgemm_batched(tw_library* library, cl_command_queue queue, tw_layout layout,
                                  tw_transpose trans_a, tw_transpose trans_b, size_t m, size_t n,
                                  size_t k, const double* alphas, cl_mem a, const size_t* offsets_a,
                                  size_t lda, cl_mem b, const size_t* offsets_b, size_t ldb,
                                  const double* betas, cl_mem c, const size_t* offsets_c,
                                  size_t ldc, size_t count, cl_uint num_wait, const cl_event* wait,
                                  cl_event* event);

/** tw_plan_create for double-precision matrices. All other functions for plans accept it, too.
 *
 * @param library, layout, trans_a, trans_b, m, n, k, offset_a, lda, offset_b, ldb, beta, offset_c,
 * ldc, out  see tw_plan_create
 * @return like tw_plan_create; TW_UNSUPPORTED_TYPE */
TW_API tw_status tw_dplan_create(tw_library* library, tw_layout layout, tw_transpose trans_a,
                                 tw_transpose trans_b, size_t m, size_t n, size_t k,
                                 size_t offset_a, size_t lda, size_t offset_b, size_t ldb,
                                 double beta, size_t offset_c, size_t ldc, tw_plan** out);

/** tw_execute with double-precision scalars, for a plan of tw_dplan_create. For other plans the
 * scalars are rounded to single precision.
 *
 * @param plan, queue, alpha, a, offset_a, lda, packed_a, b, offset_b, ldb, packed_b, beta, c,
 * offset_c, ldc, num_wait, wait, event  see tw_execute
 * @return like tw_execute */
TW_API tw_status tw_dexecute(const tw_plan* plan, cl_command_queue queue, double alpha, cl_mem a,
                             size_t offset_a, size_t lda, const tw_packed* packed_a, cl_mem b,
                             size_t offset_b, size_t ldb, const tw_packed* packed_b, double beta,
                             cl_mem c, size_t offset_c, size_t ldc, cl_uint num_wait,
                             const cl_event* wait, cl_event* event);

/** The same with the caller's workspace; see tw_execute_in.
 *
 * @param plan, queue, alpha, a, offset_a, lda, packed_a, b, offset_b, ldb, packed_b, beta, c,
 * offset_c, ldc, workspace, offset_workspace, num_wait, wait, event  see tw_execute_in
 * @return like tw_execute_in */
TW_API tw_status tw_dexecute_in(const tw_plan* plan, cl_command_queue queue, double alpha, cl_mem a,
                                size_t offset_a, size_t lda, const tw_packed* packed_a, cl_mem b,
                                size_t offset_b, size_t ldb, const tw_packed* packed_b, double beta,
                                cl_mem c, size_t offset_c, size_t ldc, cl_mem workspace,
                                size_t offset_workspace, cl_uint num_wait, const cl_event* wait,
                                cl_event* event);

#ifdef __cplusplus
}
#endif

#endif
