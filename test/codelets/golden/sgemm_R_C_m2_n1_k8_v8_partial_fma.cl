// tilewright 0.1.0: gemm layout_b=C tile_m=2 tile_k=8 vector_width=8 inner=partial multiply_add=fma
// C = alpha op(A) op(B) + beta C; op(A) lies R, op(B) C, C R.
// row, col: first element of the work-item's tile of C; i0, j0: where groups of it begin, inside C;
// p: k step; a0, b0: places in A and B; a0_0, b0_0: loaded, numbered along m or n, then k; c0_0:
// sums, numbered along m, then n; s0_0: sums of a vector's lanes; C0: a line of C.

// C = x + beta C; beta = 0 never reads C.
void store1(float x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * *C;
  *C = x;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sgemm_R_C_m2_n1_k8_v8_partial_fma(const int m, const int n, const int k, const float alpha,
    __global const float *restrict A, const ulong offset_a, const int lda,
    __global const float *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc,
    const ulong stride_a, const ulong stride_b, const ulong stride_c)
{
  A += offset_a;
  B += offset_b;
  C += offset_c;
  // Of a batch each work-item in dimension 2 has its own product.
  A += get_global_id(2) * stride_a;
  B += get_global_id(2) * stride_b;
  C += get_global_id(2) * stride_c;
  // Find the tile, and where to read.
  const int row = (int)get_global_id(1) * 2;
  const int col = (int)get_global_id(0);
  if (row >= m || col >= n) return;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int i1 = min(row + 1, m - 1);
  const int j0 = min(col, n - 1);
  __global const float *a0 = A + (size_t)i0 * lda;
  __global const float *a1 = A + (size_t)i1 * lda;
  __global const float *b0 = B + (size_t)j0 * ldb;
  float8 c0_0 = (float8)(0.0f);
  float8 c1_0 = (float8)(0.0f);
  int p = 0;
  for (; p + 8 <= k; p += 8) {
    // Load.
    const float8 a0_0 = vload8(0, a0);
    const float8 a1_0 = vload8(0, a1);
    const float8 b0_0 = vload8(0, b0);
    // Multiply.
    c0_0 = fma(a0_0, b0_0, c0_0);
    c1_0 = fma(a1_0, b0_0, c1_0);
    a0 += 8;
    a1 += 8;
    b0 += 8;
  }
  // What is left of k, step by step.
  for (; p < k; ++p) {
    // Load.
    const float a0_0 = *a0;
    const float a1_0 = *a1;
    const float b0_0 = *b0;
    // Multiply.
    c0_0.s0 = fma(a0_0, b0_0, c0_0.s0);
    c1_0.s0 = fma(a1_0, b0_0, c1_0.s0);
    ++a0;
    ++a1;
    ++b0;
  }
  // Add up the lanes of each sum.
  const float4 c0_0_4 = c0_0.lo + c0_0.hi;
  const float2 c0_0_2 = c0_0_4.lo + c0_0_4.hi;
  const float s0_0 = c0_0_2.s0 + c0_0_2.s1;
  const float4 c1_0_4 = c1_0.lo + c1_0.hi;
  const float2 c1_0_2 = c1_0_4.lo + c1_0_4.hi;
  const float s1_0 = c1_0_2.s0 + c1_0_2.s1;
  // Store what is inside of C.
  if (row < m) {
    __global float *C0 = C + (size_t)row * ldc;
    if (col < n) store1(alpha * s0_0, beta, C0 + col);
  }
  if (row + 1 < m) {
    __global float *C1 = C + (size_t)(row + 1) * ldc;
    if (col < n) store1(alpha * s1_0, beta, C1 + col);
  }
}
