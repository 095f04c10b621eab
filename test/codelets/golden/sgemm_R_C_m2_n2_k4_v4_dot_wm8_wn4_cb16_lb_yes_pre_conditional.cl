// tilewright 0.1.0: gemm layout_b=C tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot work_group_m=8 work_group_n=4 cache_block_k=16 local_b=yes prefetch=conditional
// C = alpha op(A) op(B) + beta C; op(A) lies R, op(B) C, C R.
// row, col: first element of the work-item's tile of C; group_row, group_col: that of its
// work-group; in_row, in_col: the tile's place in its work-group's; i0, j0: where groups of it
// begin, inside C; p: k step; a0, b0: places in A and B; tile_b: k tiles in local memory; from_b0:
// places in A and B that are fetched for them; next_b0: what was fetched; put_b: place for it in a
// k tile; lb: places in k tiles that are read; a0_0, b0_0: loaded, numbered along m or n, then k;
// c0_0: sums, numbered along m, then n; C0: a line of C.

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

__kernel __attribute__((reqd_work_group_size(4, 8, 1)))
void sgemm_R_C_m2_n2_k4_v4_dot_wm8_wn4_cb16_lb_yes_pre_conditional(const int m, const int n, const int k, const float alpha,
    __global const float *restrict A, const ulong offset_a, const int lda,
    __global const float *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc,
    const ulong stride_a, const ulong stride_b, const ulong stride_c)
{
  __local float tile_b[128] __attribute__((aligned(64)));
  A += offset_a;
  B += offset_b;
  C += offset_c;
  // Of a batch each work-item in dimension 2 has its own product.
  A += get_global_id(2) * stride_a;
  B += get_global_id(2) * stride_b;
  C += get_global_id(2) * stride_c;
  // Find the tile, and where to read.
  const uint group_m = get_group_id(1);
  const uint group_n = get_group_id(0);
  const uint item = get_local_id(1) * 4 + get_local_id(0);
  const uint item_m = get_local_id(1);
  const uint item_n = get_local_id(0);
  const int group_row = (int)(group_m * 16);
  const int group_col = (int)(group_n * 8);
  const int in_row = (int)(item_m * 2);
  const int in_col = (int)(item_n * 2);
  const int row = group_row + in_row;
  const int col = group_col + in_col;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int i1 = min(row + 1, m - 1);
  const int j0 = min(col, n - 1);
  const int j1 = min(col + 1, n - 1);
  __global const float *a0 = A + (size_t)i0 * lda;
  __global const float *a1 = A + (size_t)i1 * lda;
  const int put_b = (int)(item / 4);
  const int put_b_k = (int)(item % 4 * 4);
  const int place_b0 = min(group_col + put_b, n - 1);
  __global const float *from_b0 = B + (size_t)place_b0 * ldb + put_b_k;
  float c0_0 = 0.0f;
  float c0_1 = 0.0f;
  float c1_0 = 0.0f;
  float c1_1 = 0.0f;
  int p = 0;
  float4 next_b0;
  if (p + 16 <= k) {
    // Fetch for local memory.
    next_b0 = vload4(0, from_b0);
    // Put there.
    *(__local float4 *)(tile_b + put_b * 16 + put_b_k) = next_b0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (; p + 16 <= k; p += 16) {
    const bool more = p + 32 <= k;
    if (more) {
      from_b0 += 16;
      // Fetch for local memory.
      next_b0 = vload4(0, from_b0);
    }
    __local const float *lb = tile_b + in_col * 16;
    for (int q = 0; q < 16; q += 4) {
      // Load.
      const float4 a0_0 = vload4(0, a0);
      const float4 a1_0 = vload4(0, a1);
      const float4 b0_0 = *(__local const float4 *)lb;
      const float4 b1_0 = *(__local const float4 *)(lb + 16);
      // Multiply.
      c0_0 += dot(a0_0, b0_0);
      c0_1 += dot(a0_0, b1_0);
      c1_0 += dot(a1_0, b0_0);
      c1_1 += dot(a1_0, b1_0);
      a0 += 4;
      a1 += 4;
      lb += 4;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (more) {
      // Put there.
      *(__local float4 *)(tile_b + put_b * 16 + put_b_k) = next_b0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // Met by all work-items, also where k has no whole block.
  barrier(CLK_LOCAL_MEM_FENCE);
  if (row >= m || col >= n) return;
  // What is left of k, step by step.
  {
    __global const float *b0 = B + (size_t)j0 * ldb + p;
    __global const float *b1 = B + (size_t)j1 * ldb + p;
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
