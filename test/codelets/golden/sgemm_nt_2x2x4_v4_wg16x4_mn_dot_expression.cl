// tilewright 0.1.0: op=NT tile_m=2 tile_n=2 tile_k=4 vector_width=4 work_group_m=16 work_group_n=4 id_order=mn inner=dot multiply_add=expression
// C = alpha op(A) op(B) + beta C, row-major, NT; any m, n, k.

// C = alpha c + beta C; beta = 0 never reads C.
void store1(const float c, const float alpha, const float beta, __global float *C)
{
  if (beta == 0.0f) *C = alpha * c;
  else *C = alpha * c + beta * *C;
}

__kernel __attribute__((reqd_work_group_size(16, 4, 1)))
void sgemm_nt_2x2x4_v4_wg16x4_mn_dot_expression(const int m, const int n, const int k, const float alpha,
    __global const float *restrict A, const ulong offset_a, const int lda,
    __global const float *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc)
{
  const int row = (int)get_global_id(0) * 2;
  const int col = (int)get_global_id(1) * 2;
  if (row >= m || col >= n) return;
  // Rows and columns past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int i1 = min(row + 1, m - 1);
  const int j0 = min(col, n - 1);
  const int j1 = min(col + 1, n - 1);
  __global const float *a0 = A + offset_a + (size_t)i0 * lda;
  __global const float *a1 = A + offset_a + (size_t)i1 * lda;
  __global const float *b0 = B + offset_b + (size_t)j0 * ldb;
  __global const float *b1 = B + offset_b + (size_t)j1 * ldb;
  float c0_0 = 0.0f;
  float c0_1 = 0.0f;
  float c1_0 = 0.0f;
  float c1_1 = 0.0f;
  int p = 0;
  for (; p + 4 <= k; p += 4) {
    const float4 a0_0 = vload4(0, a0);
    const float4 a1_0 = vload4(0, a1);
    const float4 b0_0 = vload4(0, b0);
    const float4 b1_0 = vload4(0, b1);
    c0_0 += dot(a0_0, b0_0);
    c0_1 += dot(a0_0, b1_0);
    c1_0 += dot(a1_0, b0_0);
    c1_1 += dot(a1_0, b1_0);
    a0 += 4;
    a1 += 4;
    b0 += 4;
    b1 += 4;
  }
  for (; p < k; ++p) {
    const float a0_0 = *a0;
    const float a1_0 = *a1;
    const float b0_0 = *b0;
    const float b1_0 = *b1;
    c0_0 = a0_0 * b0_0 + c0_0;
    c0_1 = a0_0 * b1_0 + c0_1;
    c1_0 = a1_0 * b0_0 + c1_0;
    c1_1 = a1_0 * b1_0 + c1_1;
    a0 += 1;
    a1 += 1;
    b0 += 1;
    b1 += 1;
  }
  if (row < m) {
    __global float *C0 = C + offset_c + (size_t)i0 * ldc;
    if (col < n) store1(c0_0, alpha, beta, C0 + j0);
    if (col + 1 < n) store1(c0_1, alpha, beta, C0 + j1);
  }
  if (row + 1 < m) {
    __global float *C1 = C + offset_c + (size_t)i1 * ldc;
    if (col < n) store1(c1_0, alpha, beta, C1 + j0);
    if (col + 1 < n) store1(c1_1, alpha, beta, C1 + j1);
  }
}
