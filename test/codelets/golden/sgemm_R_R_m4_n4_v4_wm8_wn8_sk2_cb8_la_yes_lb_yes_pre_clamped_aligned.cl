// tilewright 0.1.0: gemm tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8 stream_k=2 cache_block_k=8 local_a=yes local_b=yes prefetch=clamped access=aligned
// C = alpha op(A) op(B) + beta C. Layouts: op(A) R, op(B) R, C R.
//   row, col: first row and column of this work-item's tile of C
//   group_row, group_col: first row and column of the work-group's tile
//   in_row, in_col: position of the tile in the work-group's tile
//   i0, j0: first row or column of each part of the tile, moved inside C
//   sharer: number of the work-group among those that share tiles; negative: it does not
//   tile: number of the work-group's tile
//   own_part: number of the part of the tile that the work-group stores
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
#define REAL4 float4
#define ELEMENT float
#define ELEMENT_BYTES 4
#define LOAD(p) *(p)
#define LOAD2(p) vload2(0, p)
#define LOAD4(p) vload4(0, p)
#define STORE(x, p) *(p) = x
#define STORE2(x, p) vstore2(x, 0, p)
#define STORE4(x, p) vstore4(x, 0, p)
#define LOAD_ALIGNED4(p) *(__global const float4 *)(p)
#define STORE_ALIGNED4(x, p) *(__global float4 *)(p) = x

// Stores C = x + beta C. With beta = 0, C is not read.
void store1(REAL x, const REAL beta, __global ELEMENT *C)
{
  if (beta != 0.0f) x += beta * LOAD(C);
  STORE(x, C);
}

void store2(REAL2 x, const REAL beta, __global ELEMENT *C)
{
  if (beta != 0.0f) x += beta * LOAD2(C);
  STORE2(x, C);
}

void store4(REAL4 x, const REAL beta, __global ELEMENT *C)
{
  if (beta != 0.0f) x += beta * LOAD4(C);
  STORE4(x, C);
}

void store_whole4(REAL4 x, const REAL beta, __global ELEMENT *C)
{
  if (beta != 0.0f) x += beta * LOAD_ALIGNED4(C);
  STORE_ALIGNED4(x, C);
}

// Stores the first `count` lanes of x, 0 to 4.
void store_first4(REAL4 x, const REAL beta, __global ELEMENT *C,
                 const int count)
{
  if (count == 4) {
    store4(x, beta, C);
    return;
  }
  if (count & 2) {
    store2(x.s01, beta, C);
    C += 2;
    x.s01 = x.s23;
  }
  if (count & 1) store1(x.s0, beta, C);
}

// The same for parts of tiles.
void store_part1(REAL x, const REAL beta, __global REAL *C)
{
  if (beta != 0.0f) x += beta * *C;
  *C = x;
}

void store_part2(REAL2 x, const REAL beta, __global REAL *C)
{
  if (beta != 0.0f) x += beta * vload2(0, C);
  vstore2(x, 0, C);
}

void store_part4(REAL4 x, const REAL beta, __global REAL *C)
{
  if (beta != 0.0f) x += beta * vload4(0, C);
  vstore4(x, 0, C);
}

void store_part_whole4(REAL4 x, const REAL beta, __global REAL *C)
{
  if (beta != 0.0f) x += beta * *(__global const REAL4 *)C;
  *(__global REAL4 *)C = x;
}

// Stores the first `count` lanes of x, 0 to 4.
void store_part_first4(REAL4 x, const REAL beta, __global REAL *C,
                 const int count)
{
  if (count == 4) {
    store_part4(x, beta, C);
    return;
  }
  if (count & 2) {
    store_part2(x.s01, beta, C);
    C += 2;
    x.s01 = x.s23;
  }
  if (count & 1) store_part1(x.s0, beta, C);
}

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void sgemm_R_R_m4_n4_v4_wm8_wn8_sk2_cb8_la_yes_lb_yes_pre_clamped_aligned(const int m, const int n, const int k, const REAL alpha,
    __global const ELEMENT *restrict A, const ulong offset_a, const int lda,
    __global const ELEMENT *restrict B, const ulong offset_b, const int ldb,
    const REAL beta, __global ELEMENT *restrict C, const ulong offset_c, const int ldc,
    __global REAL *restrict parts, const ulong offset_parts, const int ld_parts,
    const int direct_tiles_m, const int whole_tiles, const int sharing_groups, const int num_parts)
{
  __local REAL tile_a[256] __attribute__((aligned(64)));
  __local REAL tile_b[256] __attribute__((aligned(64)));
  A += offset_a;
  B += offset_b;
  C += offset_c;
  parts += offset_parts;
  // C is narrower than a vector: each work-item computes single elements of C.
  if (m < 4 || n < 4) {
    const uint items = (uint)min(get_global_size(0) * get_global_size(1), (size_t)0x7fffffff);
    const size_t id = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint i = id < items ? (uint)id / (uint)n : (uint)m;
    uint j = (uint)id % (uint)n;
    while (i < (uint)m) {
      REAL c = 0.0f;
      for (int p = 0; p < k; ++p) {
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
  // The blocks of k of the tiles after whole_tiles are divided evenly among
  // sharing_groups work-groups. Each of the others computes one tile.
  const int tiles_m = (m + 31) / 32;
  const int tiles_n = (n + 31) / 32;
  // Without any k steps, tiles have one empty block, because results must be stored.
  const int blocks = max((k + 7) / 8, 1);
  const int shared_tiles = tiles_m * tiles_n - whole_tiles;
  const bool equal = sharing_groups == shared_tiles * num_parts;
  // If all parts have the same number of blocks, the last one may be shorter.
  const int group_blocks = equal ? (blocks + num_parts - 1) / num_parts
      : max((shared_tiles * blocks + sharing_groups - 1) / sharing_groups,
            (blocks + num_parts - 2) / (num_parts - 1));
  const int tile_blocks = equal ? group_blocks * num_parts : blocks;
  const int sharer = (int)get_group_id(0) - whole_tiles;
  int at = max(sharer, 0) * group_blocks;
  // If C is narrower than a vector, it is complete.
  const int stop = m < 4 || n < 4 ? at : sharer < 0 ? blocks : min(at + group_blocks, shared_tiles * tile_blocks);
  while (at < stop) {
    const int shared_tile = at / tile_blocks;
    const int first_block = sharer < 0 ? 0 : at - shared_tile * tile_blocks;
    const int end_block = min(first_block + stop - at, tile_blocks);
    const int k_first = min(first_block * 8, k);
    const int k_end = min(end_block * 8, k);
    at += end_block - first_block;
    const int tile = sharer < 0 ? (int)get_group_id(0) : whole_tiles + shared_tile;
    const bool is_direct = sharer < 0;
    // The tile of C that this work-item computes.
    const uint groups_m = (uint)(is_direct ? direct_tiles_m : tiles_m - direct_tiles_m);
    const uint groups_n = (uint)tiles_n;
    const uint group = (uint)(is_direct ? tile : tile - direct_tiles_m * tiles_n);
    const uint own_group_m = group / groups_n;
    const uint group_n = group % groups_n;
    const uint group_m = own_group_m + (uint)(is_direct ? 0 : direct_tiles_m);
    const uint item = get_local_id(1) * 8 + get_local_id(0);
    const uint item_m = get_local_id(1);
    const uint item_n = get_local_id(0);
    const int group_row = (int)(group_m * 32);
    const int group_col = (int)(group_n * 32);
    const int in_row = (int)(item_m * 4);
    const int in_col = (int)(item_n * 4);
    const int row = group_row + in_row;
    const int col = group_col + in_col;
    // The work-group that computes the end of a tile stores zeros as the parts that the
    // tile does not have.
    const int next_part = sharer - shared_tile * tile_blocks / group_blocks + 1;
    const bool is_end = !is_direct && end_block == tile_blocks;
    for (int z = is_end ? next_part : num_parts; z < num_parts; ++z) {
      __global REAL *zeros = parts + ((long)z * (m - direct_tiles_m * 32) - direct_tiles_m * 32) * ld_parts;
      const int id = (int)(get_local_id(1) * get_local_size(0) + get_local_id(0));
      for (int e = id; e < 1024; e += 64) {
        const int i = (int)group_m * 32 + e / 32;
        const int j = (int)group_n * 32 + e % 32;
        if (i < m && j < n) zeros[(size_t)i * ld_parts + j] = 0.0f;
      }
    }
    // Vectors, rows and columns past the edge are moved inside; each result is stored once.
    const int i0 = min(row, m - 4);
    const int whole_n = (n + 3) / 4 * 4;
    const int j0 = min(col, whole_n - 4);
    const int put_a = (int)(item / 2);
    const int put_a_k = (int)(item % 2 * 4);
    const int place_a0 = min(group_row + put_a / 4 * 4, m - 4) + put_a % 4;
    __global const ELEMENT *from_a0 = A + (size_t)place_a0 * lda + ((k_first + put_a_k));
    const int put_b = (int)(item % 8 * 4);
    const int put_b_k = (int)(item / 8);
    const int place_b0 = min(group_col + put_b, whole_n - 4);
    __global const ELEMENT *from_b0 = B + place_b0 + (size_t)((k_first + put_b_k)) * ldb;
    // The sums of the tile.
    REAL4 c0_0 = (REAL4)(0.0f);
    REAL4 c1_0 = (REAL4)(0.0f);
    REAL4 c2_0 = (REAL4)(0.0f);
    REAL4 c3_0 = (REAL4)(0.0f);
    int p = k_first;
    // A C that is narrower than a vector skips the blocks, but not the barriers.
    const int k_blocks = m < 4 || n < 4 ? k_first : k_end;
    // Loop over k, 8 steps per iteration.
    REAL4 next_a0;
    REAL4 next_b0;
    if (p + 8 <= k_blocks) {
      // Load a tile for local memory.
      next_a0 = LOAD_ALIGNED4(from_a0);
      next_b0 = LOAD_ALIGNED4(from_b0);
      // Store it in local memory.
      *(tile_a + put_a_k * 32 + put_a) = next_a0.s0;
      *(tile_a + put_a_k * 32 + put_a + 32) = next_a0.s1;
      *(tile_a + put_a_k * 32 + put_a + 64) = next_a0.s2;
      *(tile_a + put_a_k * 32 + put_a + 96) = next_a0.s3;
      *(__local REAL4 *)(tile_b + put_b_k * 32 + put_b) = next_b0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (; p + 8 <= k_blocks; p += 8) {
      // The last tile is loaded twice: with a condition, compilers would move the loads.
      const size_t more = p + 16 <= k_end ? 1 : 0;
      from_a0 += more * 8;
      from_b0 += more * 8 * (size_t)ldb;
      // Load a tile for local memory.
      next_a0 = LOAD_ALIGNED4(from_a0);
      next_b0 = LOAD_ALIGNED4(from_b0);
      __local const REAL *la = tile_a + in_row;
      __local const REAL *lb = tile_b + in_col;
      for (int q = 0; q < 8; ++q) {
        // Load.
        const REAL4 a0_0 = *(__local const REAL4 *)la;
        const REAL4 b0_0 = *(__local const REAL4 *)lb;
        // Multiply.
        c0_0 = (REAL4)(a0_0.s0) * b0_0 + c0_0;
        c1_0 = (REAL4)(a0_0.s1) * b0_0 + c1_0;
        c2_0 = (REAL4)(a0_0.s2) * b0_0 + c2_0;
        c3_0 = (REAL4)(a0_0.s3) * b0_0 + c3_0;
        la += 32;
        lb += 32;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      // Store it in local memory.
      *(tile_a + put_a_k * 32 + put_a) = next_a0.s0;
      *(tile_a + put_a_k * 32 + put_a + 32) = next_a0.s1;
      *(tile_a + put_a_k * 32 + put_a + 64) = next_a0.s2;
      *(tile_a + put_a_k * 32 + put_a + 96) = next_a0.s3;
      *(__local REAL4 *)(tile_b + put_b_k * 32 + put_b) = next_b0;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    // All work-items must reach this barrier, also if k has no whole block.
    barrier(CLK_LOCAL_MEM_FENCE);
    if (m < 4 || n < 4 || row >= m || col >= n) continue;
    // The remaining steps of k, one at a time.
    {
      __global const ELEMENT *a0 = A + (size_t)i0 * lda + p;
      __global const ELEMENT *a1 = A + (size_t)(i0 + 1) * lda + p;
      __global const ELEMENT *a2 = A + (size_t)(i0 + 2) * lda + p;
      __global const ELEMENT *a3 = A + (size_t)(i0 + 3) * lda + p;
      const size_t step_b = (size_t)ldb;
      __global const ELEMENT *b0 = B + j0 + (size_t)p * ldb;
      for (; p < k_end; ++p) {
        // Load.
        const REAL a0_0 = LOAD(a0);
        const REAL a1_0 = LOAD(a1);
        const REAL a2_0 = LOAD(a2);
        const REAL a3_0 = LOAD(a3);
        const REAL4 b0_0 = LOAD_ALIGNED4(b0);
        // Multiply.
        c0_0 = (REAL4)(a0_0) * b0_0 + c0_0;
        c1_0 = (REAL4)(a1_0) * b0_0 + c1_0;
        c2_0 = (REAL4)(a2_0) * b0_0 + c2_0;
        c3_0 = (REAL4)(a3_0) * b0_0 + c3_0;
        ++a0;
        ++a1;
        ++a2;
        ++a3;
        b0 += step_b;
      }
    }
    if (is_direct) {
      // Store the elements that are inside C.
      // How many elements of each vector are inside C and of this work-item: its first ones.
      const int own0 = clamp(n - col, 0, 4);
      // Whole vectors are stored as vectors if C is aligned for them.
      const bool fits = (size_t)C % (4 * ELEMENT_BYTES) == 0 && ldc % 4 == 0;
      const bool whole0 = fits && own0 == 4;
      if (i0 >= row) {
        __global ELEMENT *C0 = C + (size_t)i0 * ldc;
        if (whole0) store_whole4(alpha * c0_0, beta, C0 + col);
        else store_first4(alpha * c0_0, beta, C0 + col, own0);
      }
      if (i0 + 1 >= row) {
        __global ELEMENT *C1 = C + (size_t)(i0 + 1) * ldc;
        if (whole0) store_whole4(alpha * c1_0, beta, C1 + col);
        else store_first4(alpha * c1_0, beta, C1 + col, own0);
      }
      if (i0 + 2 >= row) {
        __global ELEMENT *C2 = C + (size_t)(i0 + 2) * ldc;
        if (whole0) store_whole4(alpha * c2_0, beta, C2 + col);
        else store_first4(alpha * c2_0, beta, C2 + col, own0);
      }
      if (i0 + 3 >= row) {
        __global ELEMENT *C3 = C + (size_t)(i0 + 3) * ldc;
        if (whole0) store_whole4(alpha * c3_0, beta, C3 + col);
        else store_first4(alpha * c3_0, beta, C3 + col, own0);
      }
      continue;
    }
    // Computed again, because values that are kept during the loop over k need registers.
    const int ended_tile = (at - 1) / tile_blocks;
    const int own_part = sharer - ended_tile * tile_blocks / group_blocks;
    {
      const REAL alpha = 1.0f;
      const REAL beta = 0.0f;
      const int ldc = ld_parts;
      __global REAL *C = parts + ((long)own_part * (m - direct_tiles_m * 32) - direct_tiles_m * 32) * ld_parts;
      // Store the elements that are inside C.
      // How many elements of each vector are inside C and of this work-item: its first ones.
      const int own0 = clamp(n - col, 0, 4);
      // Whole vectors are stored as vectors if C is aligned for them.
      const bool fits = (size_t)C % (4 * sizeof(REAL)) == 0 && ldc % 4 == 0;
      const bool whole0 = fits && own0 == 4;
      if (i0 >= row) {
        __global REAL *C0 = C + (size_t)i0 * ldc;
        if (whole0) store_part_whole4(alpha * c0_0, beta, C0 + col);
        else store_part_first4(alpha * c0_0, beta, C0 + col, own0);
      }
      if (i0 + 1 >= row) {
        __global REAL *C1 = C + (size_t)(i0 + 1) * ldc;
        if (whole0) store_part_whole4(alpha * c1_0, beta, C1 + col);
        else store_part_first4(alpha * c1_0, beta, C1 + col, own0);
      }
      if (i0 + 2 >= row) {
        __global REAL *C2 = C + (size_t)(i0 + 2) * ldc;
        if (whole0) store_part_whole4(alpha * c2_0, beta, C2 + col);
        else store_part_first4(alpha * c2_0, beta, C2 + col, own0);
      }
      if (i0 + 3 >= row) {
        __global REAL *C3 = C + (size_t)(i0 + 3) * ldc;
        if (whole0) store_part_whole4(alpha * c3_0, beta, C3 + col);
        else store_part_first4(alpha * c3_0, beta, C3 + col, own0);
      }
    }
  }
}
