// tilewright 0.1.0: gemm
// C = alpha op(A) op(B) + beta C; op(A) lies R, op(B) R, C R.
// row, col: first element of the work-item's tile of C; i0, j0: where groups of it begin, inside C;
// p: k step; a0, b0: places in A and B; step_b: distance of two k steps; a0_0, b0_0: loaded,
// numbered along m or n, then k; c0_0: sums, numbered along m, then n; C0: a line of C.

// C = x + beta C; beta = 0 never reads C.
void store1(float x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * *C;
  *C = x;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sgemm_R_R_m1_n1(const int m, const int n, const int k, const float alpha,
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
  const int row = (int)get_global_id(1);
  const int col = (int)get_global_id(0);
  if (row >= m || col >= n) return;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int j0 = min(col, n - 1);
  __global const float *a0 = A + (size_t)i0 * lda;
  const size_t step_b = (size_t)ldb;
  __global const float *b0 = B + j0;
  float c0_0 = 0.0f;
  int p = 0;
  for (; p < k; ++p) {
    // Load.
    const float a0_0 = *a0;
    const float b0_0 = *b0;
    // Multiply.
    c0_0 = a0_0 * b0_0 + c0_0;
    ++a0;
    b0 += step_b;
  }
  // Store what is inside of C.
  if (row < m) {
    __global float *C0 = C + (size_t)row * ldc;
    if (col < n) store1(alpha * c0_0, beta, C0 + col);
  }
}
