// tilewright 0.1.0: gemm layout_a=R4x1C layout_b=C1x8R tile_m=4 tile_n=8 unroll_k=2 vector_width=4 work_group_m=8 work_group_n=8 access=aligned bias=m activation=relu
// C = alpha op(A) op(B) + beta C. Layouts: op(A) R 4 1 C, op(B) C 1 8 R, C R.
//   row, col: first row and column of this work-item's tile of C
//   p: k step
//   a0, b0: addresses in A and B
//   a0_0, b0_0: loaded elements, by index along m or n, then along k
//   c0_0: sums, by index along m, then along n
//   to: address in a line of C
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

// Stores C = relu(x + beta C). With beta = 0, C is not read.
void store1(REAL x, const REAL beta, __global ELEMENT *C)
{
  if (beta != 0.0f) x += beta * LOAD(C);
  STORE(fmax(x, 0.0f), C);
}

void store2(REAL2 x, const REAL beta, __global ELEMENT *C)
{
  if (beta != 0.0f) x += beta * LOAD2(C);
  STORE2(fmax(x, 0.0f), C);
}

void store4(REAL4 x, const REAL beta, __global ELEMENT *C)
{
  if (beta != 0.0f) x += beta * LOAD4(C);
  STORE4(fmax(x, 0.0f), C);
}

void store_whole4(REAL4 x, const REAL beta, __global ELEMENT *C)
{
  if (beta != 0.0f) x += beta * LOAD_ALIGNED4(C);
  STORE_ALIGNED4(fmax(x, 0.0f), C);
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

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void sgemm_R4x1C_C1x8R_m4_n8_u2_v4_wm8_wn8_aligned_bias_m_act_relu(const int m, const int n, const int k, const REAL alpha,
    __global const ELEMENT *restrict A, const ulong offset_a, const int lda,
    __global const ELEMENT *restrict B, const ulong offset_b, const int ldb,
    const REAL beta, __global ELEMENT *restrict C, const ulong offset_c, const int ldc,
    __global const float *restrict bias, const ulong offset_bias,
    const ulong stride_a, const ulong stride_b, const ulong stride_c)
{
  A += offset_a;
  B += offset_b;
  C += offset_c;
  // Dimension 2 of the launch selects a product of the batch.
  A += get_global_id(2) * stride_a;
  B += get_global_id(2) * stride_b;
  C += get_global_id(2) * stride_c;
  bias += offset_bias;
  // The tile of C that this work-item computes.
  const int row = (int)get_global_id(1) * 4;
  const int col = (int)get_global_id(0) * 8;
  if (row >= m || col >= n) return;
  __global const ELEMENT *a0 = A + (size_t)(row / 4) * lda + row % 4;
  __global const ELEMENT *b0 = B + (size_t)(col / 8) * ldb + col % 8;
  // The sums of the tile.
  REAL4 c0_0 = (REAL4)(0.0f);
  REAL4 c0_1 = (REAL4)(0.0f);
  REAL4 c1_0 = (REAL4)(0.0f);
  REAL4 c1_1 = (REAL4)(0.0f);
  REAL4 c2_0 = (REAL4)(0.0f);
  REAL4 c2_1 = (REAL4)(0.0f);
  REAL4 c3_0 = (REAL4)(0.0f);
  REAL4 c3_1 = (REAL4)(0.0f);
  int p = 0;
  // Loop over k, 2 steps per iteration.
  for (; p < k; p += 2) {
    {
      // Load.
      const REAL4 a0_0 = LOAD_ALIGNED4(a0);
      const REAL4 b0_0 = LOAD_ALIGNED4(b0);
      const REAL4 b1_0 = LOAD_ALIGNED4(b0 + 4);
      // Multiply.
      c0_0 = (REAL4)(a0_0.s0) * b0_0 + c0_0;
      c0_1 = (REAL4)(a0_0.s0) * b1_0 + c0_1;
      c1_0 = (REAL4)(a0_0.s1) * b0_0 + c1_0;
      c1_1 = (REAL4)(a0_0.s1) * b1_0 + c1_1;
      c2_0 = (REAL4)(a0_0.s2) * b0_0 + c2_0;
      c2_1 = (REAL4)(a0_0.s2) * b1_0 + c2_1;
      c3_0 = (REAL4)(a0_0.s3) * b0_0 + c3_0;
      c3_1 = (REAL4)(a0_0.s3) * b1_0 + c3_1;
    }
    {
      const REAL4 a0_0 = LOAD_ALIGNED4(a0 + 4);
      const REAL4 b0_0 = LOAD_ALIGNED4(b0 + 8);
      const REAL4 b1_0 = LOAD_ALIGNED4(b0 + 4 + 8);
      c0_0 = (REAL4)(a0_0.s0) * b0_0 + c0_0;
      c0_1 = (REAL4)(a0_0.s0) * b1_0 + c0_1;
      c1_0 = (REAL4)(a0_0.s1) * b0_0 + c1_0;
      c1_1 = (REAL4)(a0_0.s1) * b1_0 + c1_1;
      c2_0 = (REAL4)(a0_0.s2) * b0_0 + c2_0;
      c2_1 = (REAL4)(a0_0.s2) * b1_0 + c2_1;
      c3_0 = (REAL4)(a0_0.s3) * b0_0 + c3_0;
      c3_1 = (REAL4)(a0_0.s3) * b1_0 + c3_1;
    }
    a0 += 8;
    b0 += 16;
  }
  // Store the elements that are inside C.
  // A tile with whole lines, in a C that is aligned for vectors, is stored in vectors.
  if ((size_t)C % (4 * ELEMENT_BYTES) == 0 && ldc % 4 == 0 && col <= n - 8) {
    __global ELEMENT *to = C + (size_t)row * ldc + col;
    const float line_bias0 = row < m ? bias[row] : 0.0f;
    store_whole4(alpha * c0_0 + line_bias0, beta, to);
    store_whole4(alpha * c0_1 + line_bias0, beta, to + 4);
    if (row + 1 < m) {
      to += ldc;
      const float line_bias1 = row + 1 < m ? bias[row + 1] : 0.0f;
      store_whole4(alpha * c1_0 + line_bias1, beta, to);
      store_whole4(alpha * c1_1 + line_bias1, beta, to + 4);
    }
    if (row + 2 < m) {
      to += ldc;
      const float line_bias2 = row + 2 < m ? bias[row + 2] : 0.0f;
      store_whole4(alpha * c2_0 + line_bias2, beta, to);
      store_whole4(alpha * c2_1 + line_bias2, beta, to + 4);
    }
    if (row + 3 < m) {
      to += ldc;
      const float line_bias3 = row + 3 < m ? bias[row + 3] : 0.0f;
      store_whole4(alpha * c3_0 + line_bias3, beta, to);
      store_whole4(alpha * c3_1 + line_bias3, beta, to + 4);
    }
  }
  else {
    __global ELEMENT *to = C + (size_t)row * ldc + col;
    const float line_bias0 = row < m ? bias[row] : 0.0f;
    store_first4(alpha * c0_0 + line_bias0, beta, to, clamp(n - col, 0, 4));
    store_first4(alpha * c0_1 + line_bias0, beta, to + 4, clamp(n - (col + 4), 0, 4));
    if (row + 1 < m) {
      to += ldc;
      const float line_bias1 = row + 1 < m ? bias[row + 1] : 0.0f;
      store_first4(alpha * c1_0 + line_bias1, beta, to, clamp(n - col, 0, 4));
      store_first4(alpha * c1_1 + line_bias1, beta, to + 4, clamp(n - (col + 4), 0, 4));
    }
    if (row + 2 < m) {
      to += ldc;
      const float line_bias2 = row + 2 < m ? bias[row + 2] : 0.0f;
      store_first4(alpha * c2_0 + line_bias2, beta, to, clamp(n - col, 0, 4));
      store_first4(alpha * c2_1 + line_bias2, beta, to + 4, clamp(n - (col + 4), 0, 4));
    }
    if (row + 3 < m) {
      to += ldc;
      const float line_bias3 = row + 3 < m ? bias[row + 3] : 0.0f;
      store_first4(alpha * c3_0 + line_bias3, beta, to, clamp(n - col, 0, 4));
      store_first4(alpha * c3_1 + line_bias3, beta, to + 4, clamp(n - (col + 4), 0, 4));
    }
  }
}
