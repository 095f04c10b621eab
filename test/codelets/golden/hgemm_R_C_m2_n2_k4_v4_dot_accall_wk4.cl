// tilewright 0.1.0: gemm precision=h layout_b=C tile_m=2 tile_n=2 tile_k=4 vector_width=4 inner=dot accumulate_k=all work_group_k=4
// C = alpha op(A) op(B) + beta C. Layouts: op(A) R, op(B) C, C R.
//   row, col: first row and column of this work-item's tile of C
//   i0, j0: first row or column of each part of the tile, moved inside C
//   k_first, k_end: range of k of this work-item
//   p: k step
//   a0, b0: addresses in A and B
//   a0_0, b0_0: loaded elements, by index along m or n, then along k
//   c0_0: sums, by index along m, then along n
//   h0_0: half-precision sums
//   share: number of the part of k that this work-item computes
//   sums: partial sums in local memory, one set for each part of k
//   C0: address in a line of C
//   REAL: type of the arithmetic
//   ELEMENT: type of the elements in memory

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define REAL float
#define REAL2 float2
#define ELEMENT half
#define LOAD(p) vload_half(0, p)
#define LOAD2(p) vload_half2(0, p)
#define STORE(x, p) vstore_half_rte(x, 0, p)
#define STORE2(x, p) vstore_half2_rte(x, 0, p)

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

// Stores the first `count` lanes of x, 0 to 2.
void store_first2(REAL2 x, const REAL beta, __global ELEMENT *C,
                 const int count)
{
  if (count == 2) {
    store2(x, beta, C);
    return;
  }
  if (count & 1) store1(x.s0, beta, C);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 4)))
void hgemm_R_C_m2_n2_k4_v4_dot_accall_wk4(const int m, const int n, const int k, const REAL alpha,
    __global const ELEMENT *restrict A, const ulong offset_a, const int lda,
    __global const ELEMENT *restrict B, const ulong offset_b, const int ldb,
    const REAL beta, __global ELEMENT *restrict C, const ulong offset_c, const int ldc)
{
  __local REAL sums[8];
  A += offset_a;
  B += offset_b;
  C += offset_c;
  const int turns = (k + 3) / 4;
  const int part = (turns + 3) / 4 * 4;
  const int k_first = min((int)get_global_id(2) * part, k);
  const int k_end = min(k_first + part, k);
  // The tile of C that this work-item computes.
  const int row = (int)get_global_id(1) * 2;
  const int col = (int)get_global_id(0) * 2;
  // Vectors, rows and columns past the edge are moved inside; each result is stored once.
  const int i0 = min(row, m - 1);
  const int i1 = min(row + 1, m - 1);
  const int j0 = min(col, n - 1);
  const int j1 = min(col + 1, n - 1);
  __global const ELEMENT *a0 = A + (size_t)i0 * lda + k_first;
  __global const ELEMENT *a1 = A + (size_t)i1 * lda + k_first;
  __global const ELEMENT *b0 = B + (size_t)j0 * ldb + k_first;
  __global const ELEMENT *b1 = B + (size_t)j1 * ldb + k_first;
  half h0_0 = 0;
  half h0_1 = 0;
  half h1_0 = 0;
  half h1_1 = 0;
  int p = k_first;
  // Loop over k, 4 steps per iteration.
  for (; p + 4 <= k_end; p += 4) {
    // Load.
    const half4 a0_0 = vload4(0, a0);
    const half4 a1_0 = vload4(0, a1);
    const half4 b0_0 = vload4(0, b0);
    const half4 b1_0 = vload4(0, b1);
    // Multiply.
    h0_0 += dot(a0_0, b0_0);
    h0_1 += dot(a0_0, b1_0);
    h1_0 += dot(a1_0, b0_0);
    h1_1 += dot(a1_0, b1_0);
    a0 += 4;
    a1 += 4;
    b0 += 4;
    b1 += 4;
  }
  // The remaining steps of k, one at a time.
  for (; p < k_end; ++p) {
    // Load.
    const half a0_0 = *a0;
    const half a1_0 = *a1;
    const half b0_0 = *b0;
    const half b1_0 = *b1;
    // Multiply.
    h0_0 = a0_0 * b0_0 + h0_0;
    h0_1 = a0_0 * b1_0 + h0_1;
    h1_0 = a1_0 * b0_0 + h1_0;
    h1_1 = a1_0 * b1_0 + h1_1;
    ++a0;
    ++a1;
    ++b0;
    ++b1;
  }
  // Convert the half-precision sums to floats.
  REAL c0_0 = convert_float(h0_0);
  REAL c0_1 = convert_float(h0_1);
  REAL c1_0 = convert_float(h1_0);
  REAL c1_1 = convert_float(h1_1);
  // The partial sums of the parts of k are added up in a binary tree.
  const uint share = get_local_id(2);
  const uint item_of_share = get_local_id(1) + get_local_id(0);
  for (uint shares = 2; shares > 0; shares >>= 1) {
    if (share >= shares && share < 2 * shares) {
      const uint other = share - shares;
      sums[(other * 4) + item_of_share] = c0_0;
      sums[(other * 4 + 1) + item_of_share] = c0_1;
      sums[(other * 4 + 2) + item_of_share] = c1_0;
      sums[(other * 4 + 3) + item_of_share] = c1_1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (share < shares) {
      c0_0 += sums[(share * 4) + item_of_share];
      c0_1 += sums[(share * 4 + 1) + item_of_share];
      c1_0 += sums[(share * 4 + 2) + item_of_share];
      c1_1 += sums[(share * 4 + 3) + item_of_share];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (share > 0) return;
  if (row >= m || col >= n) return;
  // Store the elements that are inside C.
  // How many elements of each vector are inside C and of this work-item: its first ones.
  const int own0 = clamp(n - col, 0, 2);
  if (row < m) {
    __global ELEMENT *C0 = C + (size_t)row * ldc;
    store_first2(alpha * (REAL2)(c0_0, c0_1), beta, C0 + col, own0);
  }
  if (row + 1 < m) {
    __global ELEMENT *C1 = C + (size_t)(row + 1) * ldc;
    store_first2(alpha * (REAL2)(c1_0, c1_1), beta, C1 + col, own0);
  }
}
