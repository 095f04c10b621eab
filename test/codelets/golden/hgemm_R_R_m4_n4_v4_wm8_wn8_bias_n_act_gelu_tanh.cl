// tilewright 0.1.0: gemm precision=h tile_m=4 tile_n=4 vector_width=4 work_group_m=8 work_group_n=8 bias=n activation=gelu_tanh
// C = alpha op(A) op(B) + beta C; op(A) lies R, op(B) R, C R.
// row, col: first element of the work-item's tile of C; i0, j0: where groups of it begin, inside C;
// p: k step; a0, b0: places in A and B; step_b: distance of two k steps; a0_0, b0_0: loaded,
// numbered along m or n, then k; c0_0: sums, numbered along m, then n; C0: a line of C.

// C = gelu_tanh(x + beta C); beta = 0 never reads C.
void store1(float x, const float beta, __global half *C)
{
  if (beta != 0.0f) x += beta * vload_half(0, C);
  vstore_half_rte(x / (1.0f + exp(-1.5957691f * (x + 0.044715f * x * x * x))), 0, C);
}

void store2(float2 x, const float beta, __global half *C)
{
  if (beta != 0.0f) x += beta * vload_half2(0, C);
  vstore_half2_rte(x / (1.0f + exp(-1.5957691f * (x + 0.044715f * x * x * x))), 0, C);
}

void store4(float4 x, const float beta, __global half *C)
{
  if (beta != 0.0f) x += beta * vload_half4(0, C);
  vstore_half4_rte(x / (1.0f + exp(-1.5957691f * (x + 0.044715f * x * x * x))), 0, C);
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
void hgemm_R_R_m4_n4_v4_wm8_wn8_bias_n_act_gelu_tanh(const int m, const int n, const int k, const float alpha,
    __global const half *restrict A, const ulong offset_a, const int lda,
    __global const half *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global half *restrict C, const ulong offset_c, const int ldc,
    __global const float *restrict bias, const ulong offset_bias,
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
  // Too narrow for a vector: the work-items of the launch take elements of C in turns.
  if (n < 4) {
    const uint items = (uint)min(get_global_size(0) * get_global_size(1), (size_t)0x7fffffff);
    const size_t id = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint i = id < items ? (uint)id / (uint)n : (uint)m;
    uint j = (uint)id % (uint)n;
    while (i < (uint)m) {
      float c = 0.0f;
      for (int p = 0; p < k; ++p) {
        c += vload_half((size_t)i * lda + p, A) * vload_half(j + (size_t)p * ldb, B);
      }
      store1(alpha * c + bias[j], beta, C + (size_t)i * ldc + j);
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
  const int col = (int)get_global_id(0) * 4;
  if (row >= m || col >= n) return;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int i1 = min(row + 1, m - 1);
  const int i2 = min(row + 2, m - 1);
  const int i3 = min(row + 3, m - 1);
  const int j0 = min(col, n - 4);
  __global const half *a0 = A + (size_t)i0 * lda;
  __global const half *a1 = A + (size_t)i1 * lda;
  __global const half *a2 = A + (size_t)i2 * lda;
  __global const half *a3 = A + (size_t)i3 * lda;
  const size_t step_b = (size_t)ldb;
  __global const half *b0 = B + j0;
  float4 c0_0 = (float4)(0.0f);
  float4 c1_0 = (float4)(0.0f);
  float4 c2_0 = (float4)(0.0f);
  float4 c3_0 = (float4)(0.0f);
  int p = 0;
  for (; p < k; ++p) {
    // Load.
    const float a0_0 = vload_half(0, a0);
    const float a1_0 = vload_half(0, a1);
    const float a2_0 = vload_half(0, a2);
    const float a3_0 = vload_half(0, a3);
    const float4 b0_0 = vload_half4(0, b0);
    // Multiply.
    c0_0 = (float4)(a0_0) * b0_0 + c0_0;
    c1_0 = (float4)(a1_0) * b0_0 + c1_0;
    c2_0 = (float4)(a2_0) * b0_0 + c2_0;
    c3_0 = (float4)(a3_0) * b0_0 + c3_0;
    ++a0;
    ++a1;
    ++a2;
    ++a3;
    b0 += step_b;
  }
  // Store what is inside of C.
  // How many of each vector's elements are inside, and this work-item's own: its last ones.
  const int own0 = clamp(n - col, 0, 4);
  const float4 bias0 = (float4)(j0 < n ? bias[j0] : 0.0f, j0 + 1 < n ? bias[j0 + 1] : 0.0f, j0 + 2 < n ? bias[j0 + 2] : 0.0f, j0 + 3 < n ? bias[j0 + 3] : 0.0f);
  if (row < m) {
    __global half *C0 = C + (size_t)row * ldc;
    store_last4(alpha * c0_0 + bias0, beta, C0 + j0 + 4, own0);
  }
  if (row + 1 < m) {
    __global half *C1 = C + (size_t)(row + 1) * ldc;
    store_last4(alpha * c1_0 + bias0, beta, C1 + j0 + 4, own0);
  }
  if (row + 2 < m) {
    __global half *C2 = C + (size_t)(row + 2) * ldc;
    store_last4(alpha * c2_0 + bias0, beta, C2 + j0 + 4, own0);
  }
  if (row + 3 < m) {
    __global half *C3 = C + (size_t)(row + 3) * ldc;
    store_last4(alpha * c3_0 + bias0, beta, C3 + j0 + 4, own0);
  }
}
