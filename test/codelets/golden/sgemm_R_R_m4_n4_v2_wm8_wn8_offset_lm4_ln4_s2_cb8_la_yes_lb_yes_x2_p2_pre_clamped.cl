// tilewright 0.1.0: gemm tile_m=4 tile_n=4 vector_width=2 work_group_m=8 work_group_n=8 assignment=offset lanes_m=4 lanes_n=4 split_k=2 cache_block_k=8 local_a=yes local_b=yes local_buffers=2 local_pad=2 prefetch=clamped
// C = alpha op(A) op(B) + beta C. Layouts: op(A) R, op(B) R, C R.
//   row, col: first row and column of this work-item's tile of C
//   group_row, group_col: first row and column of the work-group's tile
//   in_row, in_col: position of the tile in the work-group's tile
//   i0, j0: first row or column of each part of the tile, moved inside C
//   k_first, k_end: range of k of this work-item
//   p: k step
//   a0, b0: addresses in A and B
//   step_b: distance between k steps
//   tile_a, tile_b: tiles of A and B in local memory
//   from_a0, from_b0: addresses to load from for local memory
//   next_a0, next_b0: elements loaded for local memory
//   put_a, put_b: position in the local tile to store them
//   la, lb: addresses in the local tiles
//   a0_0, b0_0: loaded elements, by index along m or n, then along k
//   c0_0: sums, by index along m, then along n
//   C0: address in a line of C
//   REAL: type of the arithmetic
//   ELEMENT: type of the elements in memory

#define REAL float
#define REAL2 float2
#define ELEMENT float
#define LOAD(p) *(p)
#define LOAD2(p) vload2(0, p)

// Stores C = x + beta C. With beta = 0, C is not read.
void store1(REAL x, const REAL beta, __global REAL *C)
{
  if (beta != 0.0f) x += beta * *C;
  *C = x;
}

void store2(REAL2 x, const REAL beta, __global REAL *C)
{
  if (beta != 0.0f) x += beta * vload2(0, C);
  vstore2(x, 0, C);
}

// Stores the last `count` lanes of x, 0 to 2; `end` is one past the address of the last lane.
void store_last2(REAL2 x, const REAL beta, __global REAL *end,
                 const int count)
{
  if (count == 2) {
    store2(x, beta, end - 2);
    return;
  }
  if (count & 1) store1(x.s1, beta, end - 1);
}

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void sgemm_R_R_m4_n4_v2_wm8_wn8_offset_lm4_ln4_s2_cb8_la_yes_lb_yes_x2_p2_pre_clamped(const int m, const int n, const int k, const REAL alpha,
    __global const ELEMENT *restrict A, const ulong offset_a, const int lda,
    __global const ELEMENT *restrict B, const ulong offset_b, const int ldb,
    const REAL beta, __global REAL *restrict C, const ulong offset_c, const int ldc)
{
  __local REAL tile_a[544] __attribute__((aligned(64)));
  __local REAL tile_b[544] __attribute__((aligned(64)));
  A += offset_a;
  B += offset_b;
  C += offset_c + (size_t)get_global_id(2) * m * ldc;
  const int turns = (k + 7) / 8;
  const int part = (turns + 1) / 2 * 8;
  const int k_first = min((int)get_global_id(2) * part, k);
  const int k_end = min(k_first + part, k);
  // C is narrower than a vector: each work-item computes single elements of C.
  if (m < 2 || n < 2) {
    const uint items = (uint)min(get_global_size(0) * get_global_size(1), (size_t)0x7fffffff);
    const size_t id = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint i = id < items ? (uint)id / (uint)n : (uint)m;
    uint j = (uint)id % (uint)n;
    while (i < (uint)m) {
      REAL c = 0.0f;
      for (int p = k_first; p < k_end; ++p) {
        c += LOAD(A + (size_t)i * lda + p) * LOAD(B + j + (size_t)p * ldb);
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
  // The tile of C that this work-item computes.
  const uint group_m = get_group_id(1);
  const uint group_n = get_group_id(0);
  const uint item = get_local_id(1) * 8 + get_local_id(0);
  const uint lane = item % 16;
  const uint patch = item / 16;
  const uint item_n = patch % 2 * 4 + lane % 4;
  const uint item_m = patch / 2 * 4 + lane / 4;
  const int group_row = (int)(group_m * 32);
  const int group_col = (int)(group_n * 32);
  const int in_row = (int)(item_m / 4 * 16 + item_m % 4 * 2);
  const int in_col = (int)(item_n / 4 * 16 + item_n % 4 * 2);
  const int row = group_row + in_row;
  const int col = group_col + in_col;
  // Vectors, rows and columns past the edge are moved inside; each result is stored once.
  const int i0 = min(row, m - 2);
  const int i1 = min(row + 8, m - 2);
  const int j0 = min(col, n - 2);
  const int j1 = min(col + 8, n - 2);
  const int put_a = (int)(item / 4);
  const int put_a_k = (int)(item % 4 * 2);
  const int place_a0 = min(group_row + put_a / 2 * 2, m - 2) + put_a % 2;
  __global const ELEMENT *from_a0 = A + (size_t)place_a0 * lda + ((k_first + put_a_k));
  const int place_a1 = min(group_row + (put_a + 16) / 2 * 2, m - 2) + (put_a + 16) % 2;
  __global const ELEMENT *from_a1 = A + (size_t)place_a1 * lda + ((k_first + put_a_k));
  const int put_b = (int)(item % 16 * 2);
  const int put_b_k = (int)(item / 16);
  const int place_b0 = min(group_col + put_b, n - 2);
  __global const ELEMENT *from_b0 = B + place_b0 + (size_t)((k_first + put_b_k)) * ldb;
  // The sums of the tile.
  REAL2 c0_0 = (REAL2)(0.0f);
  REAL2 c0_1 = (REAL2)(0.0f);
  REAL2 c1_0 = (REAL2)(0.0f);
  REAL2 c1_1 = (REAL2)(0.0f);
  REAL2 c2_0 = (REAL2)(0.0f);
  REAL2 c2_1 = (REAL2)(0.0f);
  REAL2 c3_0 = (REAL2)(0.0f);
  REAL2 c3_1 = (REAL2)(0.0f);
  int p = k_first;
  // A C that is narrower than a vector skips the blocks, but not the barriers.
  const int k_blocks = m < 2 || n < 2 ? k_first : k_end;
  // Loop over k, 8 steps per iteration.
  REAL2 next_a0, next_a1;
  REAL2 next_b0, next_b1;
  int buffer = 0;
  if (p + 8 <= k_blocks) {
    // Load a tile for local memory.
    next_a0 = LOAD2(from_a0);
    next_a1 = LOAD2(from_a1);
    next_b0 = LOAD2(from_b0);
    next_b1 = LOAD2(from_b0 + 4 * (size_t)ldb);
    // Store it in local memory.
    *(tile_a + put_a_k * 34 + put_a) = next_a0.s0;
    *(tile_a + put_a_k * 34 + put_a + 34) = next_a0.s1;
    *(tile_a + put_a_k * 34 + put_a + 16) = next_a1.s0;
    *(tile_a + put_a_k * 34 + put_a + 50) = next_a1.s1;
    *(__local REAL2 *)(tile_b + put_b_k * 34 + put_b) = next_b0;
    *(__local REAL2 *)(tile_b + put_b_k * 34 + put_b + 136) = next_b1;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (; p + 8 <= k_blocks; p += 8) {
    // The last tile is loaded twice: with a condition, compilers would move the loads.
    const size_t more = p + 16 <= k_end ? 1 : 0;
    from_a0 += more * 8;
    from_a1 += more * 8;
    from_b0 += more * 8 * (size_t)ldb;
    // Load a tile for local memory.
    next_a0 = LOAD2(from_a0);
    next_a1 = LOAD2(from_a1);
    next_b0 = LOAD2(from_b0);
    next_b1 = LOAD2(from_b0 + 4 * (size_t)ldb);
    __local const REAL *la = tile_a + buffer * 272 + in_row;
    __local const REAL *lb = tile_b + buffer * 272 + in_col;
    for (int q = 0; q < 8; ++q) {
      // Load.
      const REAL2 a0_0 = *(__local const REAL2 *)la;
      const REAL2 a1_0 = *(__local const REAL2 *)(la + 8);
      const REAL2 b0_0 = *(__local const REAL2 *)lb;
      const REAL2 b1_0 = *(__local const REAL2 *)(lb + 8);
      // Multiply.
      c0_0 = (REAL2)(a0_0.s0) * b0_0 + c0_0;
      c0_1 = (REAL2)(a0_0.s0) * b1_0 + c0_1;
      c1_0 = (REAL2)(a0_0.s1) * b0_0 + c1_0;
      c1_1 = (REAL2)(a0_0.s1) * b1_0 + c1_1;
      c2_0 = (REAL2)(a1_0.s0) * b0_0 + c2_0;
      c2_1 = (REAL2)(a1_0.s0) * b1_0 + c2_1;
      c3_0 = (REAL2)(a1_0.s1) * b0_0 + c3_0;
      c3_1 = (REAL2)(a1_0.s1) * b1_0 + c3_1;
      la += 34;
      lb += 34;
    }
    // Store it in local memory.
    *(tile_a + (1 - buffer) * 272 + put_a_k * 34 + put_a) = next_a0.s0;
    *(tile_a + (1 - buffer) * 272 + put_a_k * 34 + put_a + 34) = next_a0.s1;
    *(tile_a + (1 - buffer) * 272 + put_a_k * 34 + put_a + 16) = next_a1.s0;
    *(tile_a + (1 - buffer) * 272 + put_a_k * 34 + put_a + 50) = next_a1.s1;
    *(__local REAL2 *)(tile_b + (1 - buffer) * 272 + put_b_k * 34 + put_b) = next_b0;
    *(__local REAL2 *)(tile_b + (1 - buffer) * 272 + put_b_k * 34 + put_b + 136) = next_b1;
    barrier(CLK_LOCAL_MEM_FENCE);
    buffer = 1 - buffer;
  }
  // All work-items must reach this barrier, also if k has no whole block.
  barrier(CLK_LOCAL_MEM_FENCE);
  if (m < 2 || n < 2 || row >= m || col >= n) return;
  // The remaining steps of k, one at a time.
  {
    __global const ELEMENT *a0 = A + (size_t)i0 * lda + p;
    __global const ELEMENT *a1 = A + (size_t)(i0 + 1) * lda + p;
    __global const ELEMENT *a2 = A + (size_t)i1 * lda + p;
    __global const ELEMENT *a3 = A + (size_t)(i1 + 1) * lda + p;
    const size_t step_b = (size_t)ldb;
    __global const ELEMENT *b0 = B + j0 + (size_t)p * ldb;
    __global const ELEMENT *b1 = B + j1 + (size_t)p * ldb;
    for (; p < k_end; ++p) {
      // Load.
      const REAL a0_0 = LOAD(a0);
      const REAL a1_0 = LOAD(a1);
      const REAL a2_0 = LOAD(a2);
      const REAL a3_0 = LOAD(a3);
      const REAL2 b0_0 = LOAD2(b0);
      const REAL2 b1_0 = LOAD2(b1);
      // Multiply.
      c0_0 = (REAL2)(a0_0) * b0_0 + c0_0;
      c0_1 = (REAL2)(a0_0) * b1_0 + c0_1;
      c1_0 = (REAL2)(a1_0) * b0_0 + c1_0;
      c1_1 = (REAL2)(a1_0) * b1_0 + c1_1;
      c2_0 = (REAL2)(a2_0) * b0_0 + c2_0;
      c2_1 = (REAL2)(a2_0) * b1_0 + c2_1;
      c3_0 = (REAL2)(a3_0) * b0_0 + c3_0;
      c3_1 = (REAL2)(a3_0) * b1_0 + c3_1;
      ++a0;
      ++a1;
      ++a2;
      ++a3;
      b0 += step_b;
      b1 += step_b;
    }
  }
  // Store the elements that are inside C.
  // How many elements of each vector are inside C and of this work-item: its last ones.
  const int own0 = clamp(n - col, 0, 2);
  const int own1 = clamp(n - (col + 8), 0, 2);
  if (i0 >= row) {
    __global REAL *C0 = C + (size_t)i0 * ldc;
    store_last2(alpha * c0_0, beta, C0 + j0 + 2, own0);
    store_last2(alpha * c0_1, beta, C0 + j1 + 2, own1);
  }
  if (i0 + 1 >= row) {
    __global REAL *C1 = C + (size_t)(i0 + 1) * ldc;
    store_last2(alpha * c1_0, beta, C1 + j0 + 2, own0);
    store_last2(alpha * c1_1, beta, C1 + j1 + 2, own1);
  }
  if (i1 >= row + 8) {
    __global REAL *C2 = C + (size_t)i1 * ldc;
    store_last2(alpha * c2_0, beta, C2 + j0 + 2, own0);
    store_last2(alpha * c2_1, beta, C2 + j1 + 2, own1);
  }
  if (i1 + 1 >= row + 8) {
    __global REAL *C3 = C + (size_t)(i1 + 1) * ldc;
    store_last2(alpha * c3_0, beta, C3 + j0 + 2, own0);
    store_last2(alpha * c3_1, beta, C3 + j1 + 2, own1);
  }
}
