// tilewright 0.1.0: gemm layout_a=C tile_m=2 tile_n=2 work_group_m=8 work_group_n=8 group_order=morton cache_block_k=16 bias=n activation=leaky_relu
// C = alpha op(A) op(B) + beta C; op(A) lies C, op(B) R, C R.
// row, col: first element of the work-item's tile of C; group_row, group_col: that of its
// work-group; in_row, in_col: the tile's place in its work-group's; i0, j0: where groups of it
// begin, inside C; p: k step; a0, b0: places in A and B; step_a, step_b: distance of two k steps;
// a0_0, b0_0: loaded, numbered along m or n, then k; c0_0: sums, numbered along m, then n; C0: a
// line of C.

// C = leaky_relu(x + beta C); beta = 0 never reads C.
void store1(float x, const float beta, __global float *C, const float slope)
{
  if (beta != 0.0f) x += beta * *C;
  *C = x < 0.0f ? slope * x : x;
}

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void sgemm_C_R_m2_n2_wm8_wn8_g_morton_cb16_bias_n_act_leaky_relu(const int m, const int n, const int k, const float alpha,
    __global const float *restrict A, const ulong offset_a, const int lda,
    __global const float *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc,
    __global const float *restrict bias, const ulong offset_bias, const float slope,
    const ulong stride_a, const ulong stride_b, const ulong stride_c)
{
  A += offset_a;
  B += offset_b;
  C += offset_c;
  // Of a batch each work-item in dimension 2 has its own product.
  A += get_global_id(2) * stride_a;
  B += get_global_id(2) * stride_b;
  C += get_global_id(2) * stride_c;
  bias += offset_bias;
  // Find the tile, and where to read.
  const uint groups_m = get_num_groups(1);
  const uint groups_n = get_num_groups(0);
  const uint group = get_group_id(1) * get_num_groups(0) + get_group_id(0);
  const uint band = group / (8 * groups_n);
  const uint height = min(8u, groups_m - 8 * band);
  const uint in_band = group - 8 * band * groups_n;
  const uint square = in_band / (8 * height);
  const uint width = min(8u, groups_n - 8 * square);
  const uint z = in_band - 8 * square * height;
  // Whole squares are walked in Z order, cut ones column by column.
  const bool whole = height == 8 && width == 8;
  const uint z_m = (z >> 1 & 1) | (z >> 2 & 2) | (z >> 3 & 4);
  const uint z_n = (z & 1) | (z >> 1 & 2) | (z >> 2 & 4);
  const uint group_m = 8 * band + (whole ? z_m : z % height);
  const uint group_n = 8 * square + (whole ? z_n : z / height);
  const uint item_m = get_local_id(1);
  const uint item_n = get_local_id(0);
  const int group_row = (int)(group_m * 16);
  const int group_col = (int)(group_n * 16);
  const int in_row = (int)(item_m * 2);
  const int in_col = (int)(item_n * 2);
  const int row = group_row + in_row;
  const int col = group_col + in_col;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int i1 = min(row + 1, m - 1);
  const int j0 = min(col, n - 1);
  const int j1 = min(col + 1, n - 1);
  const size_t step_a = (size_t)lda;
  __global const float *a0 = A + i0;
  __global const float *a1 = A + i1;
  const size_t step_b = (size_t)ldb;
  __global const float *b0 = B + j0;
  __global const float *b1 = B + j1;
  float c0_0 = 0.0f;
  float c0_1 = 0.0f;
  float c1_0 = 0.0f;
  float c1_1 = 0.0f;
  int p = 0;
  while (p + 16 <= k) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (const int stop = p + 16; p < stop; ++p) {
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
      a0 += step_a;
      a1 += step_a;
      b0 += step_b;
      b1 += step_b;
    }
  }
  // Met by all work-items, also where k has no whole block.
  barrier(CLK_LOCAL_MEM_FENCE);
  if (row >= m || col >= n) return;
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
    a0 += step_a;
    a1 += step_a;
    b0 += step_b;
    b1 += step_b;
  }
  // Store what is inside of C.
  const float bias0 = col < n ? bias[col] : 0.0f;
  const float bias1 = col + 1 < n ? bias[col + 1] : 0.0f;
  if (row < m) {
    __global float *C0 = C + (size_t)row * ldc;
    if (col < n) store1(alpha * c0_0 + bias0, beta, C0 + col, slope);
    if (col + 1 < n) store1(alpha * c0_1 + bias1, beta, C0 + col + 1, slope);
  }
  if (row + 1 < m) {
    __global float *C1 = C + (size_t)(row + 1) * ldc;
    if (col < n) store1(alpha * c1_0 + bias0, beta, C1 + col, slope);
    if (col + 1 < n) store1(alpha * c1_1 + bias1, beta, C1 + col + 1, slope);
  }
}
