// tilewright 0.1.0: gemm precision=h tile_m=2 tile_n=4 tile_k=2 vector_width=4 work_group_m=8 work_group_n=4 access=aligned
// C = alpha op(A) op(B) + beta C; op(A) lies R, op(B) R, C R.
// row, col: first element of the work-item's tile of C; i0, j0: where groups of it begin, inside C;
// p: k step; a0, b0: places in A and B; step_b: distance of two k steps; a0_0, b0_0: loaded,
// numbered along m or n, then k; c0_0: sums, numbered along m, then n; C0: a line of C.

// Halfs that lie on a multiple of their bytes, in one load.
float2 load_halfs2(__global const half *from)
{
  const ushort2 bits = *(__global const ushort2 *)from;
  return vload_half2(0, (const half *)&bits);
}

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

__kernel __attribute__((reqd_work_group_size(4, 8, 1)))
void hgemm_R_R_m2_n4_k2_v4_wm8_wn4_aligned(const int m, const int n, const int k, const float alpha,
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
        c += vload_half((size_t)i * lda + p, A) * vload_half(j + (size_t)p * ldb, B);
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
  const int row = (int)get_global_id(1) * 2;
  const int col = (int)get_global_id(0) * 4;
  if (row >= m || col >= n) return;
  // Groups past the edge repeat the last ones inside; they are not stored.
  const int i0 = min(row, m - 1);
  const int i1 = min(row + 1, m - 1);
  const int whole_n = (n + 3) / 4 * 4;
  const int j0 = min(col, whole_n - 4);
  __global const half *a0 = A + (size_t)i0 * lda;
  __global const half *a1 = A + (size_t)i1 * lda;
  const size_t step_b = (size_t)ldb;
  __global const half *b0 = B + j0;
  float4 c0_0 = (float4)(0.0f);
  float4 c1_0 = (float4)(0.0f);
  int p = 0;
  for (; p + 2 <= k; p += 2) {
    // Load.
    const float2 a0_0 = load_halfs2(a0);
    const float2 a1_0 = load_halfs2(a1);
    const float4 b0_0 = load_halfs4(b0);
    const float4 b0_1 = load_halfs4(b0 + step_b);
    // Multiply.
    c0_0 = (float4)(a0_0.s0) * b0_0 + c0_0;
    c1_0 = (float4)(a1_0.s0) * b0_0 + c1_0;
    c0_0 = (float4)(a0_0.s1) * b0_1 + c0_0;
    c1_0 = (float4)(a1_0.s1) * b0_1 + c1_0;
    a0 += 2;
    a1 += 2;
    b0 += 2 * step_b;
  }
  // What is left of k, step by step.
  for (; p < k; ++p) {
    // Load.
    const float a0_0 = vload_half(0, a0);
    const float a1_0 = vload_half(0, a1);
    const float4 b0_0 = load_halfs4(b0);
    // Multiply.
    c0_0 = (float4)(a0_0) * b0_0 + c0_0;
    c1_0 = (float4)(a1_0) * b0_0 + c1_0;
    ++a0;
    ++a1;
    b0 += step_b;
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
}
