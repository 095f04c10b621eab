// tilewright 0.1.0: op=NN tile_m=1 tile_n=1 tile_k=1 vector_width=1 work_group_m=1 work_group_n=1 id_order=nm inner=outer multiply_add=expression
// C = alpha op(A) op(B) + beta C, row-major, NN; any m, n, k.

// C = alpha c + beta C; beta = 0 never reads C.
void store1(const float c, const float alpha, const float beta, __global float *C)
{
  if (beta == 0.0f) *C = alpha * c;
  else *C = alpha * c + beta * *C;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sgemm_nn_1x1x1_v1_wg1x1_nm_outer_expression(const int m, const int n, const int k, const float alpha,
    __global const float *restrict A, const ulong offset_a, const int lda,
    __global const float *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc)
{
  const int row = (int)get_global_id(1) * 1;
  const int col = (int)get_global_id(0) * 1;
  if (row >= m || col >= n) return;
  // Rows and columns past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int j0 = min(col, n - 1);
  const size_t step_b = (size_t)ldb;
  __global const float *a0 = A + offset_a + (size_t)i0 * lda;
  __global const float *b0 = B + offset_b + j0;
  float c0_0 = 0.0f;
  for (int p = 0; p < k; ++p) {
    const float a0_0 = *a0;
    const float b0_0 = *b0;
    c0_0 = a0_0 * b0_0 + c0_0;
    a0 += 1;
    b0 += step_b;
  }
  if (row < m) {
    __global float *C0 = C + offset_c + (size_t)i0 * ldc;
    if (col < n) store1(c0_0, alpha, beta, C0 + j0);
  }
}
