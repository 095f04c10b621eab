// tilewright 0.1.0: gemm layout_a=C tile_m=4 tile_n=8 vector_width=4 multiply_add=mad work_group_m=8 work_group_n=8
// C = alpha op(A) op(B) + beta C; op(A) lies C, op(B) R, C R.
// row, col: first element of the work-item's tile of C; i0, j0: where groups of it begin, inside C;
// p: k step; a0, b0: places in A and B; step_a, step_b: distance of two k steps; a0_0, b0_0:
// loaded, numbered along m or n, then k; c0_0: sums, numbered along m, then n; C0: a line of C.

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

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void sgemm_C_R_m4_n8_v4_mad_wm8_wn8(const int m, const int n, const int k, const float alpha,
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
  // Too narrow for a vector: the work-items of the launch take elements of C in turns.
  if (m < 4 || n < 4) {
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
    return;
  }
  // Find the tile, and where to read.
  const int row = (int)get_global_id(1) * 4;
  const int col = (int)get_global_id(0) * 8;
  if (row >= m || col >= n) return;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 4);
  const int j0 = min(col, n - 4);
  const int j1 = min(col + 4, n - 4);
  const size_t step_a = (size_t)lda;
  __global const float *a0 = A + i0;
  const size_t step_b = (size_t)ldb;
  __global const float *b0 = B + j0;
  __global const float *b1 = B + j1;
  float4 c0_0 = (float4)(0.0f);
  float4 c0_1 = (float4)(0.0f);
  float4 c1_0 = (float4)(0.0f);
  float4 c1_1 = (float4)(0.0f);
  float4 c2_0 = (float4)(0.0f);
  float4 c2_1 = (float4)(0.0f);
  float4 c3_0 = (float4)(0.0f);
  float4 c3_1 = (float4)(0.0f);
  int p = 0;
  for (; p < k; ++p) {
    // Load.
    const float4 a0_0 = vload4(0, a0);
    const float4 b0_0 = vload4(0, b0);
    const float4 b1_0 = vload4(0, b1);
    // Multiply.
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
  // Store what is inside of C.
  // How many of each vector's elements are inside, and this work-item's own: its last ones.
  const int own0 = clamp(n - col, 0, 4);
  const int own1 = clamp(n - (col + 4), 0, 4);
  if (i0 >= row) {
    __global float *C0 = C + (size_t)i0 * ldc;
    store_last4(alpha * c0_0, beta, C0 + j0 + 4, own0);
    store_last4(alpha * c0_1, beta, C0 + j1 + 4, own1);
  }
  if (i0 + 1 >= row) {
    __global float *C1 = C + (size_t)(i0 + 1) * ldc;
    store_last4(alpha * c1_0, beta, C1 + j0 + 4, own0);
    store_last4(alpha * c1_1, beta, C1 + j1 + 4, own1);
  }
  if (i0 + 2 >= row) {
    __global float *C2 = C + (size_t)(i0 + 2) * ldc;
    store_last4(alpha * c2_0, beta, C2 + j0 + 4, own0);
    store_last4(alpha * c2_1, beta, C2 + j1 + 4, own1);
  }
  if (i0 + 3 >= row) {
    __global float *C3 = C + (size_t)(i0 + 3) * ldc;
    store_last4(alpha * c3_0, beta, C3 + j0 + 4, own0);
    store_last4(alpha * c3_1, beta, C3 + j1 + 4, own1);
  }
}
