// tilewright 0.1.0: gemm tile_m=4 tile_n=4 vector_width=4 work_group_m=4 work_group_n=8 cache_block_k=8 local_a=yes local_b=yes access=elements
// C = alpha op(A) op(B) + beta C; op(A) lies R, op(B) R, C R.
// row, col: first element of the work-item's tile of C; group_row, group_col: that of its
// work-group; in_row, in_col: the tile's place in its work-group's; i0, j0: where groups of it
// begin, inside C; p: k step; a0, b0: places in A and B; step_b: distance of two k steps; tile_a,
// tile_b: k tiles in local memory; from_a0, from_b0: places in A and B that are fetched for them;
// next_a0, next_b0: what was fetched; put_a, put_b: place for it in a k tile; la, lb: places in k
// tiles that are read; a0_0, b0_0: loaded, numbered along m or n, then k; c0_0: sums, numbered
// along m, then n; C0: a line of C.

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

void store4(float4 x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * vload4(0, C);
  vstore4(x, 0, C);
}

// The last `count` lanes of x, 0 to 4; `end` is one past the last lane's place.
void store_last4(float4 x, const float beta, __global float *end,
                 const int count)
{
  if (count == 4) {
    store4(x, beta, end - 4);
    return;
  }
  if (count & 2) {
    end -= 2;
    store2(x.s23, beta, end);
    x.s23 = x.s01;
  }
  if (count & 1) store1(x.s3, beta, end - 1);
}

__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void sgemm_R_R_m4_n4_v4_wm4_wn8_cb8_la_yes_lb_yes_elements(const int m, const int n, const int k, const float alpha,
    __global const float *restrict A, const ulong offset_a, const int lda,
    __global const float *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc,
    const ulong stride_a, const ulong stride_b, const ulong stride_c)
{
  __local float tile_a[128] __attribute__((aligned(64)));
  __local float tile_b[256] __attribute__((aligned(64)));
  A += offset_a;
  B += offset_b;
  C += offset_c;
  // Of a batch each work-item in dimension 2 has its own product.
  A += get_global_id(2) * stride_a;
  B += get_global_id(2) * stride_b;
  C += get_global_id(2) * stride_c;
  // Too narrow for a vector: the work-items of the launch take elements of C in turns.
  if (m < 4 || n < 4) {
    const uint items = (uint)min(get_global_size(0) * get_global_size(1), (size_t)0x7fffffff);
    const size_t id = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint i = id < items ? (uint)id / (uint)n : (uint)m;
    uint j = (uint)id % (uint)n;
    while (i < (uint)m) {
      float c = 0.0f;
      for (int p = 0; p < k; ++p) {
        c += A[(size_t)i * lda + p] * B[j + (size_t)p * ldb];
      }
      store1(alpha * c, beta, C + (size_t)i * ldc + j);
      i += items / (uint)n;
      j += items % (uint)n;
      if (j >= (uint)n) {
        j -= (uint)n;
        ++i;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // Find the tile, and where to read.
  const uint group_m = get_group_id(1);
  const uint group_n = get_group_id(0);
  const uint item = get_local_id(1) * 8 + get_local_id(0);
  const uint item_m = get_local_id(1);
  const uint item_n = get_local_id(0);
  const int group_row = (int)(group_m * 16);
  const int group_col = (int)(group_n * 32);
  const int in_row = (int)(item_m * 4);
  const int in_col = (int)(item_n * 4);
  const int row = group_row + in_row;
  const int col = group_col + in_col;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 4);
  const int j0 = min(col, n - 4);
  const int put_a = (int)(item / 8);
  const int put_a_k = (int)(item % 8);
  const int place_a0 = min(group_row + put_a / 4 * 4, m - 4) + put_a % 4;
  __global const float *from_a0 = A + (size_t)place_a0 * lda + put_a_k;
  const int place_a1 = min(group_row + (put_a + 4) / 4 * 4, m - 4) + (put_a + 4) % 4;
  __global const float *from_a1 = A + (size_t)place_a1 * lda + put_a_k;
  const int place_a2 = min(group_row + (put_a + 8) / 4 * 4, m - 4) + (put_a + 8) % 4;
  __global const float *from_a2 = A + (size_t)place_a2 * lda + put_a_k;
  const int place_a3 = min(group_row + (put_a + 12) / 4 * 4, m - 4) + (put_a + 12) % 4;
  __global const float *from_a3 = A + (size_t)place_a3 * lda + put_a_k;
  const int put_b = (int)(item % 32);
  const int put_b_k = (int)(item / 32);
  const int place_b0 = min(group_col + put_b / 4 * 4, n - 4) + put_b % 4;
  __global const float *from_b0 = B + place_b0 + (size_t)put_b_k * ldb;
  float4 c0_0 = (float4)(0.0f);
  float4 c1_0 = (float4)(0.0f);
  float4 c2_0 = (float4)(0.0f);
  float4 c3_0 = (float4)(0.0f);
  int p = 0;
  // What is too narrow for a vector skips the blocks, but not the barriers.
  const int k_blocks = m < 4 || n < 4 ? 0 : k;
  float next_a0, next_a1, next_a2, next_a3;
  float next_b0, next_b1, next_b2, next_b3, next_b4, next_b5, next_b6, next_b7;
  for (; p + 8 <= k_blocks; p += 8) {
    // Fetch for local memory.
    next_a0 = *from_a0;
    next_a1 = *from_a1;
    next_a2 = *from_a2;
    next_a3 = *from_a3;
    next_b0 = *from_b0;
    next_b1 = from_b0[1 * (size_t)ldb];
    next_b2 = from_b0[2 * (size_t)ldb];
    next_b3 = from_b0[3 * (size_t)ldb];
    next_b4 = from_b0[4 * (size_t)ldb];
    next_b5 = from_b0[5 * (size_t)ldb];
    next_b6 = from_b0[6 * (size_t)ldb];
    next_b7 = from_b0[7 * (size_t)ldb];
    // Put there.
    *(tile_a + put_a_k * 16 + put_a) = next_a0;
    *(tile_a + put_a_k * 16 + put_a + 4) = next_a1;
    *(tile_a + put_a_k * 16 + put_a + 8) = next_a2;
    *(tile_a + put_a_k * 16 + put_a + 12) = next_a3;
    *(tile_b + put_b_k * 32 + put_b) = next_b0;
    *(tile_b + put_b_k * 32 + put_b + 32) = next_b1;
    *(tile_b + put_b_k * 32 + put_b + 64) = next_b2;
    *(tile_b + put_b_k * 32 + put_b + 96) = next_b3;
    *(tile_b + put_b_k * 32 + put_b + 128) = next_b4;
    *(tile_b + put_b_k * 32 + put_b + 160) = next_b5;
    *(tile_b + put_b_k * 32 + put_b + 192) = next_b6;
    *(tile_b + put_b_k * 32 + put_b + 224) = next_b7;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const float *la = tile_a + in_row;
    __local const float *lb = tile_b + in_col;
    for (int q = 0; q < 8; ++q) {
      // Load.
      const float4 a0_0 = *(__local const float4 *)la;
      const float4 b0_0 = *(__local const float4 *)lb;
      // Multiply.
      c0_0 = (float4)(a0_0.s0) * b0_0 + c0_0;
      c1_0 = (float4)(a0_0.s1) * b0_0 + c1_0;
      c2_0 = (float4)(a0_0.s2) * b0_0 + c2_0;
      c3_0 = (float4)(a0_0.s3) * b0_0 + c3_0;
      la += 16;
      lb += 32;
    }
    from_a0 += 8;
    from_a1 += 8;
    from_a2 += 8;
    from_a3 += 8;
    from_b0 += 8 * (size_t)ldb;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // Met by all work-items, also where k has no whole block.
  barrier(CLK_LOCAL_MEM_FENCE);
  if (m < 4 || n < 4 || row >= m || col >= n) return;
  // What is left of k, step by step.
  {
    __global const float *a0 = A + (size_t)i0 * lda + p;
    __global const float *a1 = A + (size_t)(i0 + 1) * lda + p;
    __global const float *a2 = A + (size_t)(i0 + 2) * lda + p;
    __global const float *a3 = A + (size_t)(i0 + 3) * lda + p;
    const size_t step_b = (size_t)ldb;
    __global const float *b0 = B + j0 + (size_t)p * ldb;
    for (; p < k; ++p) {
      // Load.
      const float a0_0 = *a0;
      const float a1_0 = *a1;
      const float a2_0 = *a2;
      const float a3_0 = *a3;
      const float4 b0_0 = vload4(0, b0);
      // Multiply.
      c0_0 = (float4)(a0_0) * b0_0 + c0_0;
      c1_0 = (float4)(a1_0) * b0_0 + c1_0;
      c2_0 = (float4)(a2_0) * b0_0 + c2_0;
      c3_0 = (float4)(a3_0) * b0_0 + c3_0;
      ++a0;
      ++a1;
      ++a2;
      ++a3;
      b0 += step_b;
    }
  }
  // Store what is inside of C.
  // How many of each vector's elements are inside, and this work-item's own: its last ones.
  const int own0 = clamp(n - col, 0, 4);
  if (i0 >= row) {
    __global float *C0 = C + (size_t)i0 * ldc;
    store_last4(alpha * c0_0, beta, C0 + j0 + 4, own0);
  }
  if (i0 + 1 >= row) {
    __global float *C1 = C + (size_t)(i0 + 1) * ldc;
    store_last4(alpha * c1_0, beta, C1 + j0 + 4, own0);
  }
  if (i0 + 2 >= row) {
    __global float *C2 = C + (size_t)(i0 + 2) * ldc;
    store_last4(alpha * c2_0, beta, C2 + j0 + 4, own0);
  }
  if (i0 + 3 >= row) {
    __global float *C3 = C + (size_t)(i0 + 3) * ldc;
    store_last4(alpha * c3_0, beta, C3 + j0 + 4, own0);
  }
}
