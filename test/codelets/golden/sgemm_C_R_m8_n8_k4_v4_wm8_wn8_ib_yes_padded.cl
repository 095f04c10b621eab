// tilewright 0.1.0: gemm layout_a=C tile_m=8 tile_n=8 tile_k=4 vector_width=4 work_group_m=8 work_group_n=8 image_b=yes edges=padded
// C = alpha op(A) op(B) + beta C; op(A) lies C, op(B) R, C R.
// row, col: first element of the work-item's tile of C; p: k step; a0, b0: places in A and B;
// step_a: distance of two k steps; k_b: distance along k; a0_0, b0_0: loaded, numbered along m or
// n, then k; c0_0: sums, numbered along m, then n; C0: a line of C.

__constant sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

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

// The first `count` lanes of x, 0 to 4.
void store_first4(float4 x, const float beta, __global float *C,
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

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void sgemm_C_R_m8_n8_k4_v4_wm8_wn8_ib_yes_padded(const int m, const int n, const int k, const float alpha,
    __global const float *restrict A, const ulong offset_a, const int lda,
    __read_only image2d_t B, const ulong offset_b, const int ldb,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc)
{
  A += offset_a;
  C += offset_c;
  // Find the tile, and where to read.
  const int row = (int)get_global_id(1) * 8;
  const int col = (int)get_global_id(0) * 8;
  if (row >= m || col >= n) return;
  const size_t step_a = (size_t)lda;
  __global const float *a0 = A + row;
  __global const float *a1 = A + row + 4;
  const int b0 = col / 4;
  const int b1 = (col + 4) / 4;
  int k_b = 0;
  float4 c0_0 = (float4)(0.0f);
  float4 c0_1 = (float4)(0.0f);
  float4 c1_0 = (float4)(0.0f);
  float4 c1_1 = (float4)(0.0f);
  float4 c2_0 = (float4)(0.0f);
  float4 c2_1 = (float4)(0.0f);
  float4 c3_0 = (float4)(0.0f);
  float4 c3_1 = (float4)(0.0f);
  float4 c4_0 = (float4)(0.0f);
  float4 c4_1 = (float4)(0.0f);
  float4 c5_0 = (float4)(0.0f);
  float4 c5_1 = (float4)(0.0f);
  float4 c6_0 = (float4)(0.0f);
  float4 c6_1 = (float4)(0.0f);
  float4 c7_0 = (float4)(0.0f);
  float4 c7_1 = (float4)(0.0f);
  int p = 0;
  for (; p < k; p += 4) {
    // Load.
    const float4 a0_0 = vload4(0, a0);
    const float4 a1_0 = vload4(0, a1);
    const float4 a0_1 = vload4(0, a0 + step_a);
    const float4 a1_1 = vload4(0, a1 + step_a);
    const float4 a0_2 = vload4(0, a0 + 2 * step_a);
    const float4 a1_2 = vload4(0, a1 + 2 * step_a);
    const float4 a0_3 = vload4(0, a0 + 3 * step_a);
    const float4 a1_3 = vload4(0, a1 + 3 * step_a);
    const float4 b0_0 = read_imagef(B, nearest, (int2)(b0, k_b));
    const float4 b1_0 = read_imagef(B, nearest, (int2)(b1, k_b));
    const float4 b0_1 = read_imagef(B, nearest, (int2)(b0, k_b + 1));
    const float4 b1_1 = read_imagef(B, nearest, (int2)(b1, k_b + 1));
    const float4 b0_2 = read_imagef(B, nearest, (int2)(b0, k_b + 2));
    const float4 b1_2 = read_imagef(B, nearest, (int2)(b1, k_b + 2));
    const float4 b0_3 = read_imagef(B, nearest, (int2)(b0, k_b + 3));
    const float4 b1_3 = read_imagef(B, nearest, (int2)(b1, k_b + 3));
    // Multiply.
    c0_0 = (float4)(a0_0.s0) * b0_0 + c0_0;
    c0_1 = (float4)(a0_0.s0) * b1_0 + c0_1;
    c1_0 = (float4)(a0_0.s1) * b0_0 + c1_0;
    c1_1 = (float4)(a0_0.s1) * b1_0 + c1_1;
    c2_0 = (float4)(a0_0.s2) * b0_0 + c2_0;
    c2_1 = (float4)(a0_0.s2) * b1_0 + c2_1;
    c3_0 = (float4)(a0_0.s3) * b0_0 + c3_0;
    c3_1 = (float4)(a0_0.s3) * b1_0 + c3_1;
    c4_0 = (float4)(a1_0.s0) * b0_0 + c4_0;
    c4_1 = (float4)(a1_0.s0) * b1_0 + c4_1;
    c5_0 = (float4)(a1_0.s1) * b0_0 + c5_0;
    c5_1 = (float4)(a1_0.s1) * b1_0 + c5_1;
    c6_0 = (float4)(a1_0.s2) * b0_0 + c6_0;
    c6_1 = (float4)(a1_0.s2) * b1_0 + c6_1;
    c7_0 = (float4)(a1_0.s3) * b0_0 + c7_0;
    c7_1 = (float4)(a1_0.s3) * b1_0 + c7_1;
    c0_0 = (float4)(a0_1.s0) * b0_1 + c0_0;
    c0_1 = (float4)(a0_1.s0) * b1_1 + c0_1;
    c1_0 = (float4)(a0_1.s1) * b0_1 + c1_0;
    c1_1 = (float4)(a0_1.s1) * b1_1 + c1_1;
    c2_0 = (float4)(a0_1.s2) * b0_1 + c2_0;
    c2_1 = (float4)(a0_1.s2) * b1_1 + c2_1;
    c3_0 = (float4)(a0_1.s3) * b0_1 + c3_0;
    c3_1 = (float4)(a0_1.s3) * b1_1 + c3_1;
    c4_0 = (float4)(a1_1.s0) * b0_1 + c4_0;
    c4_1 = (float4)(a1_1.s0) * b1_1 + c4_1;
    c5_0 = (float4)(a1_1.s1) * b0_1 + c5_0;
    c5_1 = (float4)(a1_1.s1) * b1_1 + c5_1;
    c6_0 = (float4)(a1_1.s2) * b0_1 + c6_0;
    c6_1 = (float4)(a1_1.s2) * b1_1 + c6_1;
    c7_0 = (float4)(a1_1.s3) * b0_1 + c7_0;
    c7_1 = (float4)(a1_1.s3) * b1_1 + c7_1;
    c0_0 = (float4)(a0_2.s0) * b0_2 + c0_0;
    c0_1 = (float4)(a0_2.s0) * b1_2 + c0_1;
    c1_0 = (float4)(a0_2.s1) * b0_2 + c1_0;
    c1_1 = (float4)(a0_2.s1) * b1_2 + c1_1;
    c2_0 = (float4)(a0_2.s2) * b0_2 + c2_0;
    c2_1 = (float4)(a0_2.s2) * b1_2 + c2_1;
    c3_0 = (float4)(a0_2.s3) * b0_2 + c3_0;
    c3_1 = (float4)(a0_2.s3) * b1_2 + c3_1;
    c4_0 = (float4)(a1_2.s0) * b0_2 + c4_0;
    c4_1 = (float4)(a1_2.s0) * b1_2 + c4_1;
    c5_0 = (float4)(a1_2.s1) * b0_2 + c5_0;
    c5_1 = (float4)(a1_2.s1) * b1_2 + c5_1;
    c6_0 = (float4)(a1_2.s2) * b0_2 + c6_0;
    c6_1 = (float4)(a1_2.s2) * b1_2 + c6_1;
    c7_0 = (float4)(a1_2.s3) * b0_2 + c7_0;
    c7_1 = (float4)(a1_2.s3) * b1_2 + c7_1;
    c0_0 = (float4)(a0_3.s0) * b0_3 + c0_0;
    c0_1 = (float4)(a0_3.s0) * b1_3 + c0_1;
    c1_0 = (float4)(a0_3.s1) * b0_3 + c1_0;
    c1_1 = (float4)(a0_3.s1) * b1_3 + c1_1;
    c2_0 = (float4)(a0_3.s2) * b0_3 + c2_0;
    c2_1 = (float4)(a0_3.s2) * b1_3 + c2_1;
    c3_0 = (float4)(a0_3.s3) * b0_3 + c3_0;
    c3_1 = (float4)(a0_3.s3) * b1_3 + c3_1;
    c4_0 = (float4)(a1_3.s0) * b0_3 + c4_0;
    c4_1 = (float4)(a1_3.s0) * b1_3 + c4_1;
    c5_0 = (float4)(a1_3.s1) * b0_3 + c5_0;
    c5_1 = (float4)(a1_3.s1) * b1_3 + c5_1;
    c6_0 = (float4)(a1_3.s2) * b0_3 + c6_0;
    c6_1 = (float4)(a1_3.s2) * b1_3 + c6_1;
    c7_0 = (float4)(a1_3.s3) * b0_3 + c7_0;
    c7_1 = (float4)(a1_3.s3) * b1_3 + c7_1;
    a0 += 4 * step_a;
    a1 += 4 * step_a;
    k_b += 4;
  }
  // Store what is inside of C.
  // How many of each vector's elements are inside, and this work-item's own: its first ones.
  const int own0 = clamp(n - col, 0, 4);
  const int own1 = clamp(n - (col + 4), 0, 4);
  if (row < m) {
    __global float *C0 = C + (size_t)row * ldc;
    store_first4(alpha * c0_0, beta, C0 + col, own0);
    store_first4(alpha * c0_1, beta, C0 + col + 4, own1);
  }
  if (row + 1 < m) {
    __global float *C1 = C + (size_t)(row + 1) * ldc;
    store_first4(alpha * c1_0, beta, C1 + col, own0);
    store_first4(alpha * c1_1, beta, C1 + col + 4, own1);
  }
  if (row + 2 < m) {
    __global float *C2 = C + (size_t)(row + 2) * ldc;
    store_first4(alpha * c2_0, beta, C2 + col, own0);
    store_first4(alpha * c2_1, beta, C2 + col + 4, own1);
  }
  if (row + 3 < m) {
    __global float *C3 = C + (size_t)(row + 3) * ldc;
    store_first4(alpha * c3_0, beta, C3 + col, own0);
    store_first4(alpha * c3_1, beta, C3 + col + 4, own1);
  }
  if (row + 4 < m) {
    __global float *C4 = C + (size_t)(row + 4) * ldc;
    store_first4(alpha * c4_0, beta, C4 + col, own0);
    store_first4(alpha * c4_1, beta, C4 + col + 4, own1);
  }
  if (row + 5 < m) {
    __global float *C5 = C + (size_t)(row + 5) * ldc;
    store_first4(alpha * c5_0, beta, C5 + col, own0);
    store_first4(alpha * c5_1, beta, C5 + col + 4, own1);
  }
  if (row + 6 < m) {
    __global float *C6 = C + (size_t)(row + 6) * ldc;
    store_first4(alpha * c6_0, beta, C6 + col, own0);
    store_first4(alpha * c6_1, beta, C6 + col + 4, own1);
  }
  if (row + 7 < m) {
    __global float *C7 = C + (size_t)(row + 7) * ldc;
    store_first4(alpha * c7_0, beta, C7 + col, own0);
    store_first4(alpha * c7_1, beta, C7 + col + 4, own1);
  }
}
