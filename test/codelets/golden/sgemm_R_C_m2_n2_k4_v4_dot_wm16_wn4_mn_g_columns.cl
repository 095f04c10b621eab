// tilewright 0.1.0: gemm layout_b=C tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=16 work_group_n=4 id_order=mn group_order=columns
// C = alpha op(A) op(B) + beta C; op(A) lies R, op(B) C, C R.
// row, col: first element of the work-item's tile of C; i0, j0: where groups of it begin, inside C;
// p: k step; a0, b0: places in A and B; a0_0, b0_0: loaded, numbered along m or n, then k; c0_0:
// sums, numbered along m, then n; C0: a line of C.

// C = x + beta C; beta = 0 never reads C.
void store1(float x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * *C;
  *C = x;
}

void store2(float2 x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * vload2(0, C);
  vstore2(x, 0, C);
}

// The first `count` lanes of x, 0 to 2.
void store_first2(float2 x, const float beta, __global float *C,
                 const int count)
{
  if (count == 2) {
    store2(x, beta, C);
    return;
  }
  if (count & 1) store1(x.s0, beta, C);
}

__kernel __attribute__((reqd_work_group_size(16, 4, 1)))
void sgemm_R_C_m2_n2_k4_v4_dot_wm16_wn4_mn_g_columns(const int m, const int n, const int k, const float alpha,
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
  const int row = (int)get_global_id(0) * 2;
  const int col = (int)get_global_id(1) * 2;
  if (row >= m || col >= n) return;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int i1 = min(row + 1, m - 1);
  const int j0 = min(col, n - 1);
  const int j1 = min(col + 1, n - 1);
  __global const float *a0 = A + (size_t)i0 * lda;
  __global const float *a1 = A + (size_t)i1 * lda;
  __global const float *b0 = B + (size_t)j0 * ldb;
  __global const float *b1 = B + (size_t)j1 * ldb;
  float c0_0 = 0.0f;
  float c0_1 = 0.0f;
  float c1_0 = 0.0f;
  float c1_1 = 0.0f;
  int p = 0;
  for (; p + 4 <= k; p += 4) {
    // Load.
    const float4 a0_0 = vload4(0, a0);
    const float4 a1_0 = vload4(0, a1);
    const float4 b0_0 = vload4(0, b0);
    const float4 b1_0 = vload4(0, b1);
    // Multiply.
    c0_0 += dot(a0_0, b0_0);
    c0_1 += dot(a0_0, b1_0);
    c1_0 += dot(a1_0, b0_0);
    c1_1 += dot(a1_0, b1_0);
    a0 += 4;
    a1 += 4;
    b0 += 4;
    b1 += 4;
  }
  // What is left of k, step by step.
  for (; p < k; ++p) {
    // Load.
    const float a0_0 = *a0;
    const float a1_0 = *a1;
    const float b0_0 = *b0;
    const float b1_0 = *b1;
    // Multiply.
    c0_0 = a0_0 * b0_0 + c0_0;
    c0_1 = a0_0 * b1_0 + c0_1;
    c1_0 = a1_0 * b0_0 + c1_0;
    c1_1 = a1_0 * b1_0 + c1_1;
    ++a0;
    ++a1;
    ++b0;
    ++b1;
  }
  // Store what is inside of C.
  // How many of each vector's elements are inside, and this work-item's own: its first ones.
  const int own0 = clamp(n - col, 0, 2);
  if (row < m) {
    __global float *C0 = C + (size_t)row * ldc;
    store_first2(alpha * (float2)(c0_0, c0_1), beta, C0 + col, own0);
  }
  if (row + 1 < m) {
    __global float *C1 = C + (size_t)(row + 1) * ldc;
    store_first2(alpha * (float2)(c1_0, c1_1), beta, C1 + col, own0);
  }
}
