// tilewright 0.1.0: pack tile=4 work_group=8
// An m x n matrix, stored column by column, is stored row by row.

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void pack_c_r_4x4_wg8x8(const int m, const int n,
    __global const float *restrict in, const ulong offset_in, const int ld_in,
    __global float *restrict out, const ulong offset_out, const int ld_out)
{
  const int col = (int)get_global_id(0) * 4;
  const int row = (int)get_global_id(1) * 4;
  if (row >= m || col >= n) return;
  __global const float *from = in + offset_in + (size_t)col * ld_in + row;
  __global float *to = out + offset_out + (size_t)row * ld_out + col;
  if (row + 4 <= m && col + 4 <= n) {
    const float4 in0 = vload4(0, from + (size_t)0 * ld_in);
    const float4 in1 = vload4(0, from + (size_t)1 * ld_in);
    const float4 in2 = vload4(0, from + (size_t)2 * ld_in);
    const float4 in3 = vload4(0, from + (size_t)3 * ld_in);
    vstore4((float4)(in0.s0, in1.s0, in2.s0, in3.s0), 0, to + (size_t)0 * ld_out);
    vstore4((float4)(in0.s1, in1.s1, in2.s1, in3.s1), 0, to + (size_t)1 * ld_out);
    vstore4((float4)(in0.s2, in1.s2, in2.s2, in3.s2), 0, to + (size_t)2 * ld_out);
    vstore4((float4)(in0.s3, in1.s3, in2.s3, in3.s3), 0, to + (size_t)3 * ld_out);
    return;
  }
  for (int i = 0; i < min(4, m - row); ++i) {
    for (int j = 0; j < min(4, n - col); ++j) {
      to[(size_t)i * ld_out + j] = from[(size_t)j * ld_in + i];
    }
  }
}
