// tilewright 0.1.0: gemv
// C = alpha op(A) op(B) + beta C, row-major, NN; n up to 1, any m and k.
// row: the work-item's first row of C; x0: place in A, the wide operand; y0: place in B, the narrow
// one; p: k step; at_y: distance along k; xv0_0: loaded from x, numbered along m, then k; yv0_0:
// from y, along n, then k; c0_0: sums, numbered along m, then n.

// beta = 0 never reads C.
void store(const float sum, const float alpha, const float beta,
    __global float *to)
{
  float x = alpha * sum;
  if (beta != 0.0f) x += beta * *to;
  *to = x;
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sgemv_R_R_n_1_w1(const int m, const int n, const int k, const float alpha,
    __global const float *restrict A, const ulong offset_a, const int lda,
    __global const float *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc,
    const ulong stride_a, const ulong stride_b, const ulong stride_c)
{
  // Of a batch each work-item in dimension 2 has its own product.
  A += get_global_id(2) * stride_a;
  B += get_global_id(2) * stride_b;
  C += get_global_id(2) * stride_c;
  const int row = (int)get_global_id(1);
  __global const float *y0 = B + offset_b;
  float c0_0 = 0.0f;
  __global const float *x0 = A + offset_a + (size_t)(min(row, m - 1)) * lda;
  for (int p = 0; p < k; ++p) {
    const size_t at_y = (size_t)p * ldb;
    // Load the wide operand.
    const float xv0_0 = x0[p];
    // Multiply by the narrow one.
    const float yv0_0 = y0[at_y];
    c0_0 = xv0_0 * yv0_0 + c0_0;
  }
  // Store.
  if (row < m) store(c0_0, alpha, beta, C + offset_c + (size_t)row * ldc);
}
