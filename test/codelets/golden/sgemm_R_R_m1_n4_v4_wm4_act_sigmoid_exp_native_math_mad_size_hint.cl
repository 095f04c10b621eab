// tilewright 0.1.0: gemm tile_n=4 vector_width=4 work_group_m=4 activation=sigmoid exp=native math=mad group_size=hint
// C = alpha op(A) op(B) + beta C; op(A) lies R, op(B) R, C R.
// row, col: first element of the work-item's tile of C; i0, j0: where groups of it begin, inside C;
// p: k step; a0, b0: places in A and B; step_b: distance of two k steps; a0_0, b0_0: loaded,
// numbered along m or n, then k; c0_0: sums, numbered along m, then n; C0: a line of C.

// C = sigmoid(x + beta C); beta = 0 never reads C.
void store1(float x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * *C;
  *C = 1.0f / (1.0f + native_exp(-x));
}

void store2(float2 x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * vload2(0, C);
  vstore2(1.0f / (1.0f + native_exp(-x)), 0, C);
}

void store4(float4 x, const float beta, __global float *C)
{
  if (beta != 0.0f) x += beta * vload4(0, C);
  vstore4(1.0f / (1.0f + native_exp(-x)), 0, C);
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

__kernel __attribute__((work_group_size_hint(1, 4, 1)))
void sgemm_R_R_m1_n4_v4_wm4_act_sigmoid_exp_native_math_mad_size_hint(const int m, const int n, const int k, const float alpha,
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
  if (n < 4) {
    const uint items = (uint)min(get_global_size(0) * get_global_size(1), (size_t)0x7fffffff);
    const size_t id = get_global_id(1) * get_global_size(0) + get_global_id(0);
    uint i = id < items ? (uint)id / (uint)n : (uint)m;
    uint j = (uint)id % (uint)n;
    while (i < (uint)m) {
      float c = 0.0f;
      for (int p = 0; p < k; ++p) {
        c += A[(size_t)i * lda + p] * B[j + (size_t)p * ldb];
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
  const int row = (int)get_global_id(1);
  const int col = (int)get_global_id(0) * 4;
  if (row >= m || col >= n) return;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int j0 = min(col, n - 4);
  __global const float *a0 = A + (size_t)i0 * lda;
  const size_t step_b = (size_t)ldb;
  __global const float *b0 = B + j0;
  float4 c0_0 = (float4)(0.0f);
  int p = 0;
  for (; p < k; ++p) {
    // Load.
    const float a0_0 = *a0;
    const float4 b0_0 = vload4(0, b0);
    // Multiply.
    c0_0 = (float4)(a0_0) * b0_0 + c0_0;
    ++a0;
    b0 += step_b;
  }
  // Store what is inside of C.
  // How many of each vector's elements are inside, and this work-item's own: its last ones.
  const int own0 = clamp(n - col, 0, 4);
  if (row < m) {
    __global float *C0 = C + (size_t)row * ldc;
    store_last4(alpha * c0_0, beta, C0 + j0 + 4, own0);
  }
}
