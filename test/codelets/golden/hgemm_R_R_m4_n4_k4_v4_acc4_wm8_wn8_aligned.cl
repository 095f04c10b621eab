// tilewright 0.1.0: gemm precision=h tile_m=4 tile_n=4 tile_k=4 vector_width=4 accumulate_k=4 work_group_m=8 work_group_n=8 access=aligned
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
// C = alpha op(A) op(B) + beta C; op(A) lies R, op(B) R, C R.
// row, col: first element of the work-item's tile of C; i0, j0: where groups of it begin, inside C;
// p: k step; a0, b0: places in A and B; step_b: distance of two k steps; a0_0, b0_0: loaded,
// numbered along m or n, then k; c0_0: sums, numbered along m, then n; h0_0: sums in halfs; C0: a
// line of C.

// Halfs that lie on a multiple of their bytes, in one load.
float4 load_halfs4(__global const half *from)
{
  const ushort4 bits = *(__global const ushort4 *)from;
  return vload_half4(0, (const half *)&bits);
}

void store_halfs4(const float4 x, __global half *to)
{
  ushort4 bits;
  vstore_half4_rte(x, 0, (half *)&bits);
  *(__global ushort4 *)to = bits;
}

// C = x + beta C; beta = 0 never reads C.
void store1(float x, const float beta, __global half *C)
{
  if (beta != 0.0f) x += beta * vload_half(0, C);
  vstore_half_rte(x, 0, C);
}

void store2(float2 x, const float beta, __global half *C)
{
  if (beta != 0.0f) x += beta * vload_half2(0, C);
  vstore_half2_rte(x, 0, C);
}

void store4(float4 x, const float beta, __global half *C)
{
  if (beta != 0.0f) x += beta * vload_half4(0, C);
  vstore_half4_rte(x, 0, C);
}

void store_whole4(float4 x, const float beta, __global half *C)
{
  if (beta != 0.0f) x += beta * load_halfs4(C);
  store_halfs4(x, C);
}

// The first `count` lanes of x, 0 to 4.
void store_first4(float4 x, const float beta, __global half *C,
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
void hgemm_R_R_m4_n4_k4_v4_acc4_wm8_wn8_aligned(const int m, const int n, const int k, const float alpha,
    __global const half *restrict A, const ulong offset_a, const int lda,
    __global const half *restrict B, const ulong offset_b, const int ldb,
    const float beta, __global half *restrict C, const ulong offset_c, const int ldc,
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
  const int row = (int)get_global_id(1) * 4;
  const int col = (int)get_global_id(0) * 4;
  if (row >= m || col >= n) return;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int i1 = min(row + 1, m - 1);
  const int i2 = min(row + 2, m - 1);
  const int i3 = min(row + 3, m - 1);
  const int whole_n = (n + 3) / 4 * 4;
  const int j0 = min(col, whole_n - 4);
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
  for (; p + 4 <= k; p += 4) {
    half4 h0_0;
    half4 h1_0;
    half4 h2_0;
    half4 h3_0;
    // Load.
    const half4 a0_0 = *(__global const half4 *)a0;
    const half4 a1_0 = *(__global const half4 *)a1;
    const half4 a2_0 = *(__global const half4 *)a2;
    const half4 a3_0 = *(__global const half4 *)a3;
    const half4 b0_0 = *(__global const half4 *)b0;
    const half4 b0_1 = *(__global const half4 *)(b0 + step_b);
    const half4 b0_2 = *(__global const half4 *)(b0 + 2 * step_b);
    const half4 b0_3 = *(__global const half4 *)(b0 + 3 * step_b);
    // Multiply.
    h0_0 = (half4)(a0_0.s0) * b0_0;
    h1_0 = (half4)(a1_0.s0) * b0_0;
    h2_0 = (half4)(a2_0.s0) * b0_0;
    h3_0 = (half4)(a3_0.s0) * b0_0;
    h0_0 = (half4)(a0_0.s1) * b0_1 + h0_0;
    h1_0 = (half4)(a1_0.s1) * b0_1 + h1_0;
    h2_0 = (half4)(a2_0.s1) * b0_1 + h2_0;
    h3_0 = (half4)(a3_0.s1) * b0_1 + h3_0;
    h0_0 = (half4)(a0_0.s2) * b0_2 + h0_0;
    h1_0 = (half4)(a1_0.s2) * b0_2 + h1_0;
    h2_0 = (half4)(a2_0.s2) * b0_2 + h2_0;
    h3_0 = (half4)(a3_0.s2) * b0_2 + h3_0;
    h0_0 = (half4)(a0_0.s3) * b0_3 + h0_0;
    h1_0 = (half4)(a1_0.s3) * b0_3 + h1_0;
    h2_0 = (half4)(a2_0.s3) * b0_3 + h2_0;
    h3_0 = (half4)(a3_0.s3) * b0_3 + h3_0;
    // The sums in halfs are added to those in floats.
    c0_0 += convert_float4(h0_0);
    c1_0 += convert_float4(h1_0);
    c2_0 += convert_float4(h2_0);
    c3_0 += convert_float4(h3_0);
    a0 += 4;
    a1 += 4;
    a2 += 4;
    a3 += 4;
    b0 += 4 * step_b;
  }
  // What is left of k, step by step.
  {
    half4 h0_0 = (half4)(0);
    half4 h1_0 = (half4)(0);
    half4 h2_0 = (half4)(0);
    half4 h3_0 = (half4)(0);
    for (; p < k; ++p) {
      // Load.
      const half a0_0 = *a0;
      const half a1_0 = *a1;
      const half a2_0 = *a2;
      const half a3_0 = *a3;
      const half4 b0_0 = *(__global const half4 *)b0;
      // Multiply.
      h0_0 = (half4)(a0_0) * b0_0 + h0_0;
      h1_0 = (half4)(a1_0) * b0_0 + h1_0;
      h2_0 = (half4)(a2_0) * b0_0 + h2_0;
      h3_0 = (half4)(a3_0) * b0_0 + h3_0;
      ++a0;
      ++a1;
      ++a2;
      ++a3;
      b0 += step_b;
    }
    // The sums in halfs are added to those in floats.
    c0_0 += convert_float4(h0_0);
    c1_0 += convert_float4(h1_0);
    c2_0 += convert_float4(h2_0);
    c3_0 += convert_float4(h3_0);
  }
  // Store what is inside of C.
  // How many of each vector's elements are inside, and this work-item's own: its first ones.
  const int own0 = clamp(n - col, 0, 4);
  // Whole ones go as such to a C that vectors fit into.
  const bool fits = (size_t)C % 8 == 0 && ldc % 4 == 0;
  const bool whole0 = fits && own0 == 4;
  if (row < m) {
    __global half *C0 = C + (size_t)row * ldc;
    if (whole0) store_whole4(alpha * c0_0, beta, C0 + col);
    else store_first4(alpha * c0_0, beta, C0 + col, own0);
  }
  if (row + 1 < m) {
    __global half *C1 = C + (size_t)(row + 1) * ldc;
    if (whole0) store_whole4(alpha * c1_0, beta, C1 + col);
    else store_first4(alpha * c1_0, beta, C1 + col, own0);
  }
  if (row + 2 < m) {
    __global half *C2 = C + (size_t)(row + 2) * ldc;
    if (whole0) store_whole4(alpha * c2_0, beta, C2 + col);
    else store_first4(alpha * c2_0, beta, C2 + col, own0);
  }
  if (row + 3 < m) {
    __global half *C3 = C + (size_t)(row + 3) * ldc;
    if (whole0) store_whole4(alpha * c3_0, beta, C3 + col);
    else store_first4(alpha * c3_0, beta, C3 + col, own0);
  }
}
