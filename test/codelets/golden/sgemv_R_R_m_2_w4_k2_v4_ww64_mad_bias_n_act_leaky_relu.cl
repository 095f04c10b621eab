// tilewright 0.1.0: gemv narrow=m tile_narrow=2 tile_wide=4 tile_k=2 vector_width=4 work_group_wide=64 multiply_add=mad bias=n activation=leaky_relu
// C = alpha op(A) op(B) + beta C, row-major, NN; m up to 2, any n and k.
// col: the work-item's first column of C; x0: place in B, the wide operand; y0: place in A, the
// narrow one; p: k step; k_whole: where whole turns end; at_x: distance along k; xv0_0: loaded from
// x, numbered along n, then k; yv0_0: from y, along m, then k; c0_0: sums, numbered along n, then
// m.

// beta = 0 never reads C.
void store(const float sum, const float alpha, const float beta,
    __global float *to, const float bias, const float slope)
{
  float x = alpha * sum;
  if (beta != 0.0f) x += beta * *to;
  x += bias;
  *to = x < 0.0f ? slope * x : x;
}

__kernel __attribute__((reqd_work_group_size(1, 64, 1)))
void sgemv_R_R_m_2_w4_k2_v4_ww64_mad_bias_n_act_leaky_relu(const int m, const int n, const int k, const float alpha,
    __global const float *restrict A, const ulong offset_a, const int lda,
    __global const float *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc,
    __global const float *restrict bias, const ulong offset_bias, const float slope,
    const ulong stride_a, const ulong stride_b, const ulong stride_c)
{
  // Of a batch each work-item in dimension 2 has its own product.
  A += get_global_id(2) * stride_a;
  B += get_global_id(2) * stride_b;
  C += get_global_id(2) * stride_c;
  const int col = (int)get_global_id(1) * 4;
  // Where m is less than 2, its last line is read again, and not stored.
  __global const float *y0 = A + offset_a;
  __global const float *y1 = A + offset_a + (size_t)(min(1, m - 1)) * lda;
  float4 c0_0 = (float4)(0.0f);
  float4 c0_1 = (float4)(0.0f);
  if (col + 4 <= n) {
    __global const float *x0 = B + offset_b + col;
    const int k_whole = k - k % 2;
    for (int p = 0; p < k_whole; p += 2) {
      const size_t at_x = (size_t)p * ldb;
      // Load the wide operand.
      const float4 xv0_0 = vload4(0, x0 + at_x);
      // Multiply by the narrow one.
      const float yv0_0 = y0[p];
      c0_0 = mad(xv0_0, (float4)(yv0_0), c0_0);
      const float yv1_0 = y1[p];
      c0_1 = mad(xv0_0, (float4)(yv1_0), c0_1);
      const float4 xv0_1 = vload4(0, x0 + at_x + (size_t)ldb);
      const float yv0_1 = y0[p + 1];
      c0_0 = mad(xv0_1, (float4)(yv0_1), c0_0);
      const float yv1_1 = y1[p + 1];
      c0_1 = mad(xv0_1, (float4)(yv1_1), c0_1);
    }
    for (int p = k_whole; p < k; ++p) {
      const size_t at_x = (size_t)p * ldb;
      // Load the wide operand.
      const float4 xv0_0 = vload4(0, x0 + at_x);
      // Multiply by the narrow one.
      const float yv0_0 = y0[p];
      c0_0 = mad(xv0_0, (float4)(yv0_0), c0_0);
      const float yv1_0 = y1[p];
      c0_1 = mad(xv0_0, (float4)(yv1_0), c0_1);
    }
  }
  else {
    // At the edge.
    __global const float *x0 = B + offset_b + min(col, n - 1);
    __global const float *x1 = B + offset_b + min(col + 1, n - 1);
    __global const float *x2 = B + offset_b + min(col + 2, n - 1);
    __global const float *x3 = B + offset_b + min(col + 3, n - 1);
    for (int p = 0; p < k; ++p) {
      const size_t at_x = (size_t)p * ldb;
      // Load the wide operand.
      const float4 xv0_0 = (float4)(x0[at_x], x1[at_x], x2[at_x], x3[at_x]);
      // Multiply by the narrow one.
      const float yv0_0 = y0[p];
      c0_0 = mad(xv0_0, (float4)(yv0_0), c0_0);
      const float yv1_0 = y1[p];
      c0_1 = mad(xv0_0, (float4)(yv1_0), c0_1);
    }
  }
  // Store.
  if (col < n) store(c0_0.s0, alpha, beta, C + offset_c + col, bias[offset_bias + col], slope);
  if (col + 1 < n) store(c0_0.s1, alpha, beta, C + offset_c + col + 1, bias[offset_bias + col + 1], slope);
  if (col + 2 < n) store(c0_0.s2, alpha, beta, C + offset_c + col + 2, bias[offset_bias + col + 2], slope);
  if (col + 3 < n) store(c0_0.s3, alpha, beta, C + offset_c + col + 3, bias[offset_bias + col + 3], slope);
  if (col < n && 1 < m) store(c0_1.s0, alpha, beta, C + offset_c + (size_t)1 * ldc + col, bias[offset_bias + col], slope);
  if (col + 1 < n && 1 < m) store(c0_1.s1, alpha, beta, C + offset_c + (size_t)1 * ldc + col + 1, bias[offset_bias + col + 1], slope);
  if (col + 2 < n && 1 < m) store(c0_1.s2, alpha, beta, C + offset_c + (size_t)1 * ldc + col + 2, bias[offset_bias + col + 2], slope);
  if (col + 3 < n && 1 < m) store(c0_1.s3, alpha, beta, C + offset_c + (size_t)1 * ldc + col + 3, bias[offset_bias + col + 3], slope);
}
