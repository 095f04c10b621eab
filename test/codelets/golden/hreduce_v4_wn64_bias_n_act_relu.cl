// tilewright 0.1.0: reduce precision=h vector_width=4 work_group_n=64 bias=n activation=relu
// C = alpha (sum of the parts) + beta C, row-major. Part z begins at offset_in + z * m * ld_in.
//   row, col: first element of C of this work-item
//   part: distance between parts
//   from, to: addresses in the parts and in C
//   z: number of a part
//   x: sums
//   REAL: type of the arithmetic
//   ELEMENT: type of the elements in memory

#define REAL float
#define REAL4 float4
#define ELEMENT half
#define LOAD(p) vload_half(0, p)
#define LOAD4(p) vload_half4(0, p)
#define STORE(x, p) vstore_half_rte(x, 0, p)
#define STORE4(x, p) vstore_half4_rte(x, 0, p)

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void hreduce_v4_wn64_bias_n_act_relu(const int m, const int n, const int parts, const REAL alpha,
    __global const REAL *restrict in, const ulong offset_in, const int ld_in,
    const REAL beta, __global ELEMENT *restrict C, const ulong offset_c, const int ldc,
    __global const float *restrict bias, const ulong offset_bias)
{
  const int row = (int)get_global_id(1);
  int col = (int)get_global_id(0) * 4;
  if (row >= m || col >= n) return;
  const size_t part = (size_t)m * ld_in;
  if (col + 4 <= n) {
    __global const REAL *from = in + offset_in + (size_t)row * ld_in + col;
    __global ELEMENT *to = C + offset_c + (size_t)row * ldc + col;
    // Add up the parts.
    REAL4 x = (REAL4)(0.0f);
    for (int z = 0; z < parts; ++z) {
      x += vload4(0, from);
      from += part;
    }
    // Store.
    x *= alpha;
    if (beta != 0.0f) x += beta * LOAD4(to);
    x += vload4(0, bias + offset_bias + col);
    STORE4(fmax(x, 0.0f), to);
    return;
  }
  // At the edge, element by element.
  for (; col < n; ++col) {
    __global const REAL *from = in + offset_in + (size_t)row * ld_in + col;
    __global ELEMENT *to = C + offset_c + (size_t)row * ldc + col;
    // Add up the parts.
    REAL x = 0.0f;
    for (int z = 0; z < parts; ++z) {
      x += *from;
      from += part;
    }
    // Store.
    x *= alpha;
    if (beta != 0.0f) x += beta * LOAD(to);
    x += bias[offset_bias + col];
    STORE(fmax(x, 0.0f), to);
  }
}
