// tilewright 0.1.0: op=TN tile_m=4 tile_n=8 tile_k=1 vector_width=4 work_group_m=8 work_group_n=8 id_order=nm inner=outer multiply_add=mad
// C = alpha op(A) op(B) + beta C, row-major, TN; any m, n, k.

// C = alpha c + beta C; beta = 0 never reads C.
void store1(const float c, const float alpha, const float beta, __global float *C)
{
  if (beta == 0.0f) *C = alpha * c;
  else *C = alpha * c + beta * *C;
}

void store2(const float2 c, const float alpha, const float beta, __global float *C)
{
  if (beta == 0.0f) vstore2(alpha * c, 0, C);
  else vstore2(alpha * c + beta * vload2(0, C), 0, C);
}

void store4(const float4 c, const float alpha, const float beta, __global float *C)
{
  if (beta == 0.0f) vstore4(alpha * c, 0, C);
  else vstore4(alpha * c + beta * vload4(0, C), 0, C);
}

// The last `count` lanes of c, 0 to 4; `end` is one past the place of the last lane.
void store_last4(float4 c, const float alpha, const float beta,
                 __global float *end, const int count)
{
  if (count == 4) {
    store4(c, alpha, beta, end - 4);
    return;
  }
  if (count & 2) {
    end -= 2;
    store2(c.s23, alpha, beta, end);
    c.s23 = c.s01;
  }
  if (count & 1) store1(c.s3, alpha, beta, end - 1);
}

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void sgemm_tn_4x8x1_v4_wg8x8_nm_outer_mad(const int m, const int n, const int k, const float alpha,
    __global const float *restrict A, const ulong offset_a, const int lda,
    __global const float *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc)
{
  const int row = (int)get_global_id(1) * 4;
  const int col = (int)get_global_id(0) * 8;
  if (row >= m || col >= n) return;
  // Too narrow for a vector.
  if (m < 4 || n < 4) {
    for (int i = row; i < min(row + 4, m); ++i) {
      for (int j = col; j < min(col + 8, n); ++j) {
        float c = 0.0f;
        for (int p = 0; p < k; ++p) {
          c += A[offset_a + (size_t)p * lda + i] * B[offset_b + (size_t)p * ldb + j];
        }
        store1(c, alpha, beta, C + offset_c + (size_t)i * ldc + j);
      }
    }
    return;
  }
  // Rows and columns past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 4);
  const int j0 = min(col, n - 4);
  const int j1 = min(col + 4, n - 4);
  const size_t step_a = (size_t)lda;
  const size_t step_b = (size_t)ldb;
  __global const float *a0 = A + offset_a + i0;
  __global const float *b0 = B + offset_b + j0;
  __global const float *b1 = B + offset_b + j1;
  float4 c0_0 = (float4)(0.0f);
  float4 c0_1 = (float4)(0.0f);
  float4 c1_0 = (float4)(0.0f);
  float4 c1_1 = (float4)(0.0f);
  float4 c2_0 = (float4)(0.0f);
  float4 c2_1 = (float4)(0.0f);
  float4 c3_0 = (float4)(0.0f);
  float4 c3_1 = (float4)(0.0f);
  for (int p = 0; p < k; ++p) {
    const float4 a0_0 = vload4(0, a0);
    const float4 b0_0 = vload4(0, b0);
    const float4 b1_0 = vload4(0, b1);
    c0_0 = mad((float4)(a0_0.s0), b0_0, c0_0);
    c0_1 = mad((float4)(a0_0.s0), b1_0, c0_1);
    c1_0 = mad((float4)(a0_0.s1), b0_0, c1_0);
    c1_1 = mad((float4)(a0_0.s1), b1_0, c1_1);
    c2_0 = mad((float4)(a0_0.s2), b0_0, c2_0);
    c2_1 = mad((float4)(a0_0.s2), b1_0, c2_1);
    c3_0 = mad((float4)(a0_0.s3), b0_0, c3_0);
    c3_1 = mad((float4)(a0_0.s3), b1_0, c3_1);
    a0 += step_a;
    b0 += step_b;
    b1 += step_b;
  }
  // How many of each vector's columns are this work-item's own: its last ones.
  const int own0 = clamp(n - col, 0, 4);
  const int own1 = clamp(n - (col + 4), 0, 4);
  if (i0 >= row) {
    __global float *C0 = C + offset_c + (size_t)i0 * ldc;
    store_last4(c0_0, alpha, beta, C0 + j0 + 4, own0);
    store_last4(c0_1, alpha, beta, C0 + j1 + 4, own1);
  }
  if (i0 + 1 >= row) {
    __global float *C1 = C + offset_c + (size_t)(i0 + 1) * ldc;
    store_last4(c1_0, alpha, beta, C1 + j0 + 4, own0);
    store_last4(c1_1, alpha, beta, C1 + j1 + 4, own1);
  }
  if (i0 + 2 >= row) {
    __global float *C2 = C + offset_c + (size_t)(i0 + 2) * ldc;
    store_last4(c2_0, alpha, beta, C2 + j0 + 4, own0);
    store_last4(c2_1, alpha, beta, C2 + j1 + 4, own1);
  }
  if (i0 + 3 >= row) {
    __global float *C3 = C + offset_c + (size_t)(i0 + 3) * ldc;
    store_last4(c3_0, alpha, beta, C3 + j0 + 4, own0);
    store_last4(c3_1, alpha, beta, C3 + j1 + 4, own1);
  }
}
