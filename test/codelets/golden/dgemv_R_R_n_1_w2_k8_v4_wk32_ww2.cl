// tilewright 0.1.0: gemv precision=d tile_wide=2 tile_k=8 vector_width=4 work_group_k=32 work_group_wide=2
// C = alpha op(A) op(B) + beta C, row-major, NN; n up to 1, any m and k.
//   row: first row of C of this work-item
//   part: number of the part of k that this work-item computes
//   x0: address in A, the large operand
//   y0: address in B, the small operand
//   p: k step
//   k_whole: end of the whole loop iterations
//   at_y: distance along k
//   xv0_0: loaded from x, by index along m, then along k
//   yv0_0: loaded from y, by index along n, then along k
//   c0_0: sums, by index along m, then along n
//   s0_0: sums of the lanes of a vector
//   sums: partial sums in local memory, one set for each part of k
//   e: an element of the tile
//   i, j: its row and column in C
//   REAL: type of the arithmetic
//   ELEMENT: type of the elements in memory

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL double
#define REAL2 double2
#define REAL4 double4
#define ELEMENT double
#define LOAD(p) *(p)
#define LOAD4(p) vload4(0, p)
#define STORE(x, p) *(p) = x

// Stores an element of C. With beta = 0, C is not read.
void store(const REAL sum, const REAL alpha, const REAL beta,
    __global ELEMENT *to)
{
  REAL x = alpha * sum;
  if (beta != 0.0f) x += beta * LOAD(to);
  STORE(x, to);
}

__kernel __attribute__((reqd_work_group_size(32, 2, 1)))
void dgemv_R_R_n_1_w2_k8_v4_wk32_ww2(const int m, const int n, const int k, const REAL alpha,
    __global const ELEMENT *restrict A, const ulong offset_a, const int lda,
    __global const ELEMENT *restrict B, const ulong offset_b, const int ldb,
    const REAL beta, __global ELEMENT *restrict C, const ulong offset_c, const int ldc,
    const ulong stride_a, const ulong stride_b, const ulong stride_c)
{
  // Dimension 2 of the launch selects a product of the batch.
  A += get_global_id(2) * stride_a;
  B += get_global_id(2) * stride_b;
  C += get_global_id(2) * stride_c;
  __local REAL sums[128];
  const int part = (int)get_local_id(0);
  const int row = (int)get_global_id(1) * 2;
  __global const ELEMENT *y0 = B + offset_b;
  REAL4 c0_0 = (REAL4)(0.0f);
  REAL4 c1_0 = (REAL4)(0.0f);
  __global const ELEMENT *x0 = A + offset_a + (size_t)(min(row, m - 1)) * lda;
  __global const ELEMENT *x1 = A + offset_a + (size_t)(min(row + 1, m - 1)) * lda;
  const int k_whole = k - k % 256;
  for (int p = part * 4; p < k_whole; p += 256) {
    const size_t at_y = (size_t)p * ldb;
    // Load from the large operand.
    const REAL4 xv0_0 = LOAD4(x0 + p);
    const REAL4 xv1_0 = LOAD4(x1 + p);
    // Multiply by the small operand.
    const REAL4 yv0_0 = (REAL4)(LOAD(y0 + at_y), LOAD(y0 + at_y + (size_t)ldb), LOAD(y0 + at_y + (size_t)2 * ldb), LOAD(y0 + at_y + (size_t)3 * ldb));
    c0_0 = xv0_0 * yv0_0 + c0_0;
    c1_0 = xv1_0 * yv0_0 + c1_0;
    const REAL4 xv0_128 = LOAD4(x0 + p + 128);
    const REAL4 xv1_128 = LOAD4(x1 + p + 128);
    const REAL4 yv0_128 = (REAL4)(LOAD(y0 + at_y + (size_t)128 * ldb), LOAD(y0 + at_y + (size_t)129 * ldb), LOAD(y0 + at_y + (size_t)130 * ldb), LOAD(y0 + at_y + (size_t)131 * ldb));
    c0_0 = xv0_128 * yv0_128 + c0_0;
    c1_0 = xv1_128 * yv0_128 + c1_0;
  }
  for (int p = k_whole + part; p < k; p += 32) {
    const size_t at_y = (size_t)p * ldb;
    // Load from the large operand.
    const REAL xv0_0 = LOAD(x0 + p);
    const REAL xv1_0 = LOAD(x1 + p);
    // Multiply by the small operand.
    const REAL yv0_0 = LOAD(y0 + at_y);
    c0_0.s0 = xv0_0 * yv0_0 + c0_0.s0;
    c1_0.s0 = xv1_0 * yv0_0 + c1_0.s0;
  }
  // Add up the lanes of each sum.
  const REAL2 c0_0_2 = c0_0.lo + c0_0.hi;
  const REAL s0_0 = c0_0_2.s0 + c0_0_2.s1;
  const REAL2 c1_0_2 = c1_0.lo + c1_0.hi;
  const REAL s1_0 = c1_0_2.s0 + c1_0_2.s1;
  // The partial sums of the parts of k are added up.
  const int id = (int)get_local_id(1) * 32 + (int)get_local_id(0);
  sums[id] = s0_0;
  sums[id + 64] = s1_0;
  for (int parts = 16; parts > 0; parts >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = id; part < parts && e < 128; e += 64) {
      sums[e] += sums[e + parts];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // Store.
  for (int e = part; e < 2; e += 32) {
    const int i = row + e;
    const int j = 0;
    if (i < m && j < n) store(sums[e * 64 + id - part], alpha, beta, C + offset_c + (size_t)i * ldc + j);
  }
}
