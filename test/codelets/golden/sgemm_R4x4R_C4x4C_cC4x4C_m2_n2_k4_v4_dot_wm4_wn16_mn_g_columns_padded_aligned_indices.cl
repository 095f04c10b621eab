// tilewright 0.1.0: gemm layout_a=R4x4R layout_b=C4x4C layout_c=C4x4C tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=4 work_group_n=16 id_order=mn group_order=columns edges=padded access=aligned addressing=indices
// C = alpha op(A) op(B) + beta C; op(A) lies R 4 4 R, op(B) C 4 4 C, C C 4 4 C.
// row, col: first element of the work-item's tile of C; p: k step; a0, b0: places in A and B; k_a,
// k_b: distance along k; a0_0, b0_0: loaded, numbered along m or n, then k; c0_0: sums, numbered
// along m, then n; C0: a line of C.

// C = x + beta C; beta = 0 never reads C.
void store_whole2(float2 x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * *(__global const float2 *)C;
  *(__global float2 *)C = x;
}

__kernel __attribute__((reqd_work_group_size(4, 16, 1)))
void sgemm_R4x4R_C4x4C_cC4x4C_m2_n2_k4_v4_dot_wm4_wn16_mn_g_columns_padded_aligned_indices(const int m, const int n, const int k, const float alpha,
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
  __global const float *a0 = A + (size_t)(row / 4) * lda + (row % 4) * 4;
  size_t k_a = 0;
  __global const float *b0 = B + (size_t)(col / 4) * ldb + (col % 4) * 4;
  size_t k_b = 0;
  float c0_0 = 0.0f;
  float c0_1 = 0.0f;
  float c1_0 = 0.0f;
  float c1_1 = 0.0f;
  int p = 0;
  for (; p < k; p += 4) {
    // Load.
    const float4 a0_0 = *(__global const float4 *)(a0 + k_a);
    const float4 a1_0 = *(__global const float4 *)(a0 + k_a + 4);
    const float4 b0_0 = *(__global const float4 *)(b0 + k_b);
    const float4 b1_0 = *(__global const float4 *)(b0 + k_b + 4);
    // Multiply.
    c0_0 += dot(a0_0, b0_0);
    c0_1 += dot(a0_0, b1_0);
    c1_0 += dot(a1_0, b0_0);
    c1_1 += dot(a1_0, b1_0);
    k_a += 16;
    k_b += 16;
  }
  // Store.
  __global float *C0 = C + (size_t)(col / 4) * ldc + (col % 4) * 4;
  store_whole2(alpha * (float2)(c0_0, c1_0), beta, C0 + (size_t)(row / 4) * 16 + row % 4);
  __global float *C1 = C + (size_t)((col + 1) / 4) * ldc + ((col + 1) % 4) * 4;
  store_whole2(alpha * (float2)(c0_1, c1_1), beta, C1 + (size_t)(row / 4) * 16 + row % 4);
}
