// tilewright 0.1.0: reduce
// C = alpha (sum of the parts) + beta C, row-major; part z lies m * ld_in further on.
// row, col: the work-item's first element of C; part: size of a part; from, to: places in the parts
// and in C; z: number of a part; x: sums.

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void reduce_v1(const int m, const int n, const int parts, const float alpha,
    __global const float *restrict in, const ulong offset_in, const int ld_in,
    const float beta, __global float *restrict C, const ulong offset_c, const int ldc)
{
  const int row = (int)get_global_id(1);
  const int col = (int)get_global_id(0);
  if (row >= m || col >= n) return;
  const size_t part = (size_t)m * ld_in;
  __global const float *from = in + offset_in + (size_t)row * ld_in + col;
  __global float *to = C + offset_c + (size_t)row * ldc + col;
  // Load and add up.
  float x = 0.0f;
  for (int z = 0; z < parts; ++z) {
    x += *from;
    from += part;
  }
  // Store.
  x *= alpha;
  if (beta != 0.0f) x += beta * *to;
  *to = x;
}
