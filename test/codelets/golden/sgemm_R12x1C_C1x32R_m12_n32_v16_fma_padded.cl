// tilewright 0.1.0: gemm layout_a=R12x1C layout_b=C1x32R tile_m=12 tile_n=32 vector_width=16 multiply_add=fma edges=padded
// C = alpha op(A) op(B) + beta C; op(A) lies R 12 1 C, op(B) C 1 32 R, C R.
// row, col: first element of the work-item's tile of C; p: k step; a0, b0: places in A and B; a0_0,
// b0_0: loaded, numbered along m or n, then k; c0_0: sums, numbered along m, then n; C0: a line of
// C.

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

void store8(float8 x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * vload8(0, C);
  vstore8(x, 0, C);
}

void store16(float16 x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * vload16(0, C);
  vstore16(x, 0, C);
}

// The first `count` lanes of x, 0 to 16.
__attribute__((noinline)) void store_first16(float16 x, const float beta, __global float *C,
                 const int count)
{
  if (count == 16) {
    store16(x, beta, C);
    return;
  }
  if (count & 8) {
    store8(x.s01234567, beta, C);
    C += 8;
    x.s01234567 = x.s89abcdef;
  }
  if (count & 4) {
    store4(x.s0123, beta, C);
    C += 4;
    x.s0123 = x.s4567;
  }
  if (count & 2) {
    store2(x.s01, beta, C);
    C += 2;
    x.s01 = x.s23;
  }
  if (count & 1) store1(x.s0, beta, C);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void sgemm_R12x1C_C1x32R_m12_n32_v16_fma_padded(const int m, const int n, const int k, const float alpha,
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
  const int row = (int)get_global_id(1) * 12;
  const int col = (int)get_global_id(0) * 32;
  if (row >= m || col >= n) return;
  __global const float *a0 = A + (size_t)(row / 12) * lda + row % 12;
  __global const float *b0 = B + (size_t)(col / 32) * ldb + col % 32;
  float16 c0_0 = (float16)(0.0f);
  float16 c0_1 = (float16)(0.0f);
  float16 c1_0 = (float16)(0.0f);
  float16 c1_1 = (float16)(0.0f);
  float16 c2_0 = (float16)(0.0f);
  float16 c2_1 = (float16)(0.0f);
  float16 c3_0 = (float16)(0.0f);
  float16 c3_1 = (float16)(0.0f);
  float16 c4_0 = (float16)(0.0f);
  float16 c4_1 = (float16)(0.0f);
  float16 c5_0 = (float16)(0.0f);
  float16 c5_1 = (float16)(0.0f);
  float16 c6_0 = (float16)(0.0f);
  float16 c6_1 = (float16)(0.0f);
  float16 c7_0 = (float16)(0.0f);
  float16 c7_1 = (float16)(0.0f);
  float16 c8_0 = (float16)(0.0f);
  float16 c8_1 = (float16)(0.0f);
  float16 c9_0 = (float16)(0.0f);
  float16 c9_1 = (float16)(0.0f);
  float16 c10_0 = (float16)(0.0f);
  float16 c10_1 = (float16)(0.0f);
  float16 c11_0 = (float16)(0.0f);
  float16 c11_1 = (float16)(0.0f);
  int p = 0;
  for (; p < k; ++p) {
    // Load.
    const float4 a0_0 = vload4(0, a0);
    const float4 a1_0 = vload4(0, a0 + 4);
    const float4 a2_0 = vload4(0, a0 + 8);
    const float16 b0_0 = vload16(0, b0);
    const float16 b1_0 = vload16(0, b0 + 16);
    // Multiply.
    c0_0 = fma((float16)(a0_0.s0), b0_0, c0_0);
    c0_1 = fma((float16)(a0_0.s0), b1_0, c0_1);
    c1_0 = fma((float16)(a0_0.s1), b0_0, c1_0);
    c1_1 = fma((float16)(a0_0.s1), b1_0, c1_1);
    c2_0 = fma((float16)(a0_0.s2), b0_0, c2_0);
    c2_1 = fma((float16)(a0_0.s2), b1_0, c2_1);
    c3_0 = fma((float16)(a0_0.s3), b0_0, c3_0);
    c3_1 = fma((float16)(a0_0.s3), b1_0, c3_1);
    c4_0 = fma((float16)(a1_0.s0), b0_0, c4_0);
    c4_1 = fma((float16)(a1_0.s0), b1_0, c4_1);
    c5_0 = fma((float16)(a1_0.s1), b0_0, c5_0);
    c5_1 = fma((float16)(a1_0.s1), b1_0, c5_1);
    c6_0 = fma((float16)(a1_0.s2), b0_0, c6_0);
    c6_1 = fma((float16)(a1_0.s2), b1_0, c6_1);
    c7_0 = fma((float16)(a1_0.s3), b0_0, c7_0);
    c7_1 = fma((float16)(a1_0.s3), b1_0, c7_1);
    c8_0 = fma((float16)(a2_0.s0), b0_0, c8_0);
    c8_1 = fma((float16)(a2_0.s0), b1_0, c8_1);
    c9_0 = fma((float16)(a2_0.s1), b0_0, c9_0);
    c9_1 = fma((float16)(a2_0.s1), b1_0, c9_1);
    c10_0 = fma((float16)(a2_0.s2), b0_0, c10_0);
    c10_1 = fma((float16)(a2_0.s2), b1_0, c10_1);
    c11_0 = fma((float16)(a2_0.s3), b0_0, c11_0);
    c11_1 = fma((float16)(a2_0.s3), b1_0, c11_1);
    a0 += 12;
    b0 += 32;
  }
  // Store what is inside of C.
  // How many of each vector's elements are inside, and this work-item's own: its first ones.
  const int own0 = clamp(n - col, 0, 16);
  const int own1 = clamp(n - (col + 16), 0, 16);
  if (row < m) {
    __global float *C0 = C + (size_t)row * ldc;
    store_first16(alpha * c0_0, beta, C0 + col, own0);
    store_first16(alpha * c0_1, beta, C0 + col + 16, own1);
  }
  if (row + 1 < m) {
    __global float *C1 = C + (size_t)(row + 1) * ldc;
    store_first16(alpha * c1_0, beta, C1 + col, own0);
    store_first16(alpha * c1_1, beta, C1 + col + 16, own1);
  }
  if (row + 2 < m) {
    __global float *C2 = C + (size_t)(row + 2) * ldc;
    store_first16(alpha * c2_0, beta, C2 + col, own0);
    store_first16(alpha * c2_1, beta, C2 + col + 16, own1);
  }
  if (row + 3 < m) {
    __global float *C3 = C + (size_t)(row + 3) * ldc;
    store_first16(alpha * c3_0, beta, C3 + col, own0);
    store_first16(alpha * c3_1, beta, C3 + col + 16, own1);
  }
  if (row + 4 < m) {
    __global float *C4 = C + (size_t)(row + 4) * ldc;
    store_first16(alpha * c4_0, beta, C4 + col, own0);
    store_first16(alpha * c4_1, beta, C4 + col + 16, own1);
  }
  if (row + 5 < m) {
    __global float *C5 = C + (size_t)(row + 5) * ldc;
    store_first16(alpha * c5_0, beta, C5 + col, own0);
    store_first16(alpha * c5_1, beta, C5 + col + 16, own1);
  }
  if (row + 6 < m) {
    __global float *C6 = C + (size_t)(row + 6) * ldc;
    store_first16(alpha * c6_0, beta, C6 + col, own0);
    store_first16(alpha * c6_1, beta, C6 + col + 16, own1);
  }
  if (row + 7 < m) {
    __global float *C7 = C + (size_t)(row + 7) * ldc;
    store_first16(alpha * c7_0, beta, C7 + col, own0);
    store_first16(alpha * c7_1, beta, C7 + col + 16, own1);
  }
  if (row + 8 < m) {
    __global float *C8 = C + (size_t)(row + 8) * ldc;
    store_first16(alpha * c8_0, beta, C8 + col, own0);
    store_first16(alpha * c8_1, beta, C8 + col + 16, own1);
  }
  if (row + 9 < m) {
    __global float *C9 = C + (size_t)(row + 9) * ldc;
    store_first16(alpha * c9_0, beta, C9 + col, own0);
    store_first16(alpha * c9_1, beta, C9 + col + 16, own1);
  }
  if (row + 10 < m) {
    __global float *C10 = C + (size_t)(row + 10) * ldc;
    store_first16(alpha * c10_0, beta, C10 + col, own0);
    store_first16(alpha * c10_1, beta, C10 + col + 16, own1);
  }
  if (row + 11 < m) {
    __global float *C11 = C + (size_t)(row + 11) * ldc;
    store_first16(alpha * c11_0, beta, C11 + col, own0);
    store_first16(alpha * c11_1, beta, C11 + col + 16, own1);
  }
}
