// tilewright 0.1.0: gemm precision=h layout_a=C tile_m=2 tile_n=4 vector_width=4 multiply_add=fma accumulate_k=16 work_group_m=8 work_group_n=8 cache_block_k=16 local_a=yes local_b=yes
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// C = alpha op(A) op(B) + beta C; op(A) lies C, op(B) R, C R.
// row, col: first element of the work-item's tile of C; group_row, group_col: that of its
// work-group; in_row, in_col: the tile's place in its work-group's; i0, j0: where groups of it
// begin, inside C; p: k step; a0, b0: places in A and B; step_a, step_b: distance of two k steps;
// tile_a, tile_b: k tiles in local memory; from_a0, from_b0: places in A and B that are fetched for
// them; next_a0, next_b0: what was fetched; put_a, put_b: place for it in a k tile; la, lb: places
// in k tiles that are read; a0_0, b0_0: loaded, numbered along m or n, then k; c0_0: sums, numbered
// along m, then n; h0_0: sums in halfs; C0: a line of C.

// C = x + beta C; beta = 0 never reads C.
void store1(float x, const float beta, __global half *C)
{
  if (beta != 0.0f) x += beta * vload_half(0, C);
  vstore_half_rte(x, 0, C);
}

void store2(float2 x, const float beta, __global half *C)
{
  if (beta != 0.0f) x += beta * vload_half2(0, C);
  vstore_half2_rte(x, 0, C);
}

void store4(float4 x, const float beta, __global half *C)
{
  if (beta != 0.0f) x += beta * vload_half4(0, C);
  vstore_half4_rte(x, 0, C);
}

// The last `count` lanes of x, 0 to 4; `end` is one past the last lane's place.
void store_last4(float4 x, const float beta, __global half *end,
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

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void hgemm_C_R_m2_n4_v4_fma_acc16_wm8_wn8_cb16_la_yes_lb_yes(const int m, const int n, const int k, const float alpha,
    __global const half *restrict A, const ulong offset_a, const int lda,
    __global const half *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global half *restrict C, const ulong offset_c, const int ldc,
    const ulong stride_a, const ulong stride_b, const ulong stride_c)
{
  __local half tile_a[256] __attribute__((aligned(64)));
  __local half tile_b[512] __attribute__((aligned(64)));
  A += offset_a;
  B += offset_b;
  C += offset_c;
  // Of a batch each work-item in dimension 2 has its own product.
  A += get_global_id(2) * stride_a;
  B += get_global_id(2) * stride_b;
  C += get_global_id(2) * stride_c;
  // Too narrow for a vector: the work-items of the launch take elements of C in turns.
  if (m < 2 || n < 4) {
    const uint items = (uint)min(get_global_size(0) * get_global_size(1), (size_t)0x7fffffff);
    const size_t id = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint i = id < items ? (uint)id / (uint)n : (uint)m;
    uint j = (uint)id % (uint)n;
    while (i < (uint)m) {
      float c = 0.0f;
      for (int p = 0; p < k; ++p) {
        c += A[i + (size_t)p * lda] * B[j + (size_t)p * ldb];
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
  const int in_row = (int)(item_m * 2);
  const int in_col = (int)(item_n * 4);
  const int row = group_row + in_row;
  const int col = group_col + in_col;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 2);
  const int j0 = min(col, n - 4);
  const int put_a = (int)(item % 8 * 2);
  const int put_a_k = (int)(item / 8);
  const int place_a0 = min(group_row + put_a, m - 2);
  __global const half *from_a0 = A + place_a0 + (size_t)put_a_k * lda;
  const int put_b = (int)(item % 8 * 4);
  const int put_b_k = (int)(item / 8);
  const int place_b0 = min(group_col + put_b, n - 4);
  __global const half *from_b0 = B + place_b0 + (size_t)put_b_k * ldb;
  float4 c0_0 = (float4)(0.0f);
  float4 c1_0 = (float4)(0.0f);
  int p = 0;
  // What is too narrow for a vector skips the blocks, but not the barriers.
  const int k_blocks = m < 2 || n < 4 ? 0 : k;
  half2 next_a0, next_a1;
  half4 next_b0, next_b1;
  for (; p + 16 <= k_blocks; p += 16) {
    // Fetch for local memory.
    next_a0 = vload2(0, from_a0);
    next_a1 = vload2(0, from_a0 + 8 * (size_t)lda);
    next_b0 = vload4(0, from_b0);
    next_b1 = vload4(0, from_b0 + 8 * (size_t)ldb);
    // Put there.
    *(__local half2 *)(tile_a + put_a_k * 16 + put_a) = next_a0;
    *(__local half2 *)(tile_a + put_a_k * 16 + put_a + 128) = next_a1;
    *(__local half4 *)(tile_b + put_b_k * 32 + put_b) = next_b0;
    *(__local half4 *)(tile_b + put_b_k * 32 + put_b + 256) = next_b1;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const half *la = tile_a + in_row;
    __local const half *lb = tile_b + in_col;
    half4 h0_0 = (half4)(0);
    half4 h1_0 = (half4)(0);
    for (int q = 0; q < 16; ++q) {
      // Load.
      const half2 a0_0 = *(__local const half2 *)la;
      const half4 b0_0 = *(__local const half4 *)lb;
      // Multiply.
      h0_0 = fma((half4)(a0_0.s0), b0_0, h0_0);
      h1_0 = fma((half4)(a0_0.s1), b0_0, h1_0);
      la += 16;
      lb += 32;
    }
    // The sums in halfs are added to those in floats.
    c0_0 += convert_float4(h0_0);
    c1_0 += convert_float4(h1_0);
    from_a0 += 16 * (size_t)lda;
    from_b0 += 16 * (size_t)ldb;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // Met by all work-items, also where k has no whole block.
  barrier(CLK_LOCAL_MEM_FENCE);
  if (m < 2 || n < 4 || row >= m || col >= n) return;
  // What is left of k, step by step.
  {
    const size_t step_a = (size_t)lda;
    __global const half *a0 = A + i0 + (size_t)p * lda;
    const size_t step_b = (size_t)ldb;
    __global const half *b0 = B + j0 + (size_t)p * ldb;
    half4 h0_0 = (half4)(0);
    half4 h1_0 = (half4)(0);
    for (; p < k; ++p) {
      // Load.
      const half2 a0_0 = vload2(0, a0);
      const half4 b0_0 = vload4(0, b0);
      // Multiply.
      h0_0 = fma((half4)(a0_0.s0), b0_0, h0_0);
      h1_0 = fma((half4)(a0_0.s1), b0_0, h1_0);
      a0 += step_a;
      b0 += step_b;
    }
    // The sums in halfs are added to those in floats.
    c0_0 += convert_float4(h0_0);
    c1_0 += convert_float4(h1_0);
  }
  // Store what is inside of C.
  // How many of each vector's elements are inside, and this work-item's own: its last ones.
  const int own0 = clamp(n - col, 0, 4);
  if (i0 >= row) {
    __global half *C0 = C + (size_t)i0 * ldc;
    store_last4(alpha * c0_0, beta, C0 + j0 + 4, own0);
  }
  if (i0 + 1 >= row) {
    __global half *C1 = C + (size_t)(i0 + 1) * ldc;
    store_last4(alpha * c1_0, beta, C1 + j0 + 4, own0);
  }
}
