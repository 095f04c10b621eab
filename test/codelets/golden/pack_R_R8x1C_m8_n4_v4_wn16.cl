// tilewright 0.1.0: pack from=R to=R8x1C tile_m=8 tile_n=4 vector_width=4 work_group_n=16
// An m x n matrix in layout R goes to layout R 8 1 C, with zeros up to padded_m x padded_n.
// row, col: first element of the work-item's tile; from: place in the source; to: place in the
// destination; a0_0: read, numbered by row, then column; r, c: an element; x: its value.

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void pack_R_R8x1C_m8_n4_v4_wn16(const int m, const int n, const int padded_m, const int padded_n,
    __global const float *restrict in, const ulong offset_in, const int ld_in,
    __global float *restrict out, const ulong offset_out, const int ld_out)
{
  const int row = (int)get_global_id(1) * 8;
  const int col = (int)get_global_id(0) * 4;
  // All tiles of the work-group are whole: read, write.
  if ((int)get_group_id(1) * 8 <= m - 8 && (int)get_group_id(0) * 64 <= n - 64) {
    __global const float *from = in + offset_in + (size_t)row * ld_in + col;
    __global float *to = out + offset_out + (size_t)(row / 8) * ld_out + row % 8 + (size_t)col * 8;
    const float4 a0_0 = vload4(0, from);
    const float4 a1_0 = vload4(0, from + (size_t)ld_in);
    const float4 a2_0 = vload4(0, from + (size_t)2 * ld_in);
    const float4 a3_0 = vload4(0, from + (size_t)3 * ld_in);
    vstore4((float4)(a0_0.s0, a1_0.s0, a2_0.s0, a3_0.s0), 0, to);
    const float4 a4_0 = vload4(0, from + (size_t)4 * ld_in);
    const float4 a5_0 = vload4(0, from + (size_t)5 * ld_in);
    const float4 a6_0 = vload4(0, from + (size_t)6 * ld_in);
    const float4 a7_0 = vload4(0, from + (size_t)7 * ld_in);
    vstore4((float4)(a4_0.s0, a5_0.s0, a6_0.s0, a7_0.s0), 0, to + 4);
    vstore4((float4)(a0_0.s1, a1_0.s1, a2_0.s1, a3_0.s1), 0, to + 8);
    vstore4((float4)(a4_0.s1, a5_0.s1, a6_0.s1, a7_0.s1), 0, to + 12);
    vstore4((float4)(a0_0.s2, a1_0.s2, a2_0.s2, a3_0.s2), 0, to + 16);
    vstore4((float4)(a4_0.s2, a5_0.s2, a6_0.s2, a7_0.s2), 0, to + 20);
    vstore4((float4)(a0_0.s3, a1_0.s3, a2_0.s3, a3_0.s3), 0, to + 24);
    vstore4((float4)(a4_0.s3, a5_0.s3, a6_0.s3, a7_0.s3), 0, to + 28);
    return;
  }
  if (row >= padded_m || col >= padded_n) return;
  // This one is whole: the same.
  if (row + 8 <= m && col + 4 <= n) {
    __global const float *from = in + offset_in + (size_t)row * ld_in + col;
    __global float *to = out + offset_out + (size_t)(row / 8) * ld_out + row % 8 + (size_t)col * 8;
    const float4 a0_0 = vload4(0, from);
    const float4 a1_0 = vload4(0, from + (size_t)ld_in);
    const float4 a2_0 = vload4(0, from + (size_t)2 * ld_in);
    const float4 a3_0 = vload4(0, from + (size_t)3 * ld_in);
    vstore4((float4)(a0_0.s0, a1_0.s0, a2_0.s0, a3_0.s0), 0, to);
    const float4 a4_0 = vload4(0, from + (size_t)4 * ld_in);
    const float4 a5_0 = vload4(0, from + (size_t)5 * ld_in);
    const float4 a6_0 = vload4(0, from + (size_t)6 * ld_in);
    const float4 a7_0 = vload4(0, from + (size_t)7 * ld_in);
    vstore4((float4)(a4_0.s0, a5_0.s0, a6_0.s0, a7_0.s0), 0, to + 4);
    vstore4((float4)(a0_0.s1, a1_0.s1, a2_0.s1, a3_0.s1), 0, to + 8);
    vstore4((float4)(a4_0.s1, a5_0.s1, a6_0.s1, a7_0.s1), 0, to + 12);
    vstore4((float4)(a0_0.s2, a1_0.s2, a2_0.s2, a3_0.s2), 0, to + 16);
    vstore4((float4)(a4_0.s2, a5_0.s2, a6_0.s2, a7_0.s2), 0, to + 20);
    vstore4((float4)(a0_0.s3, a1_0.s3, a2_0.s3, a3_0.s3), 0, to + 24);
    vstore4((float4)(a4_0.s3, a5_0.s3, a6_0.s3, a7_0.s3), 0, to + 28);
    return;
  }
  // At the edge: read or zero, write, one by one.
  for (int r = row; r < min(row + 8, padded_m); ++r) {
    for (int c = col; c < min(col + 4, padded_n); ++c) {
      const float x = r < m && c < n ? in[offset_in + (size_t)r * ld_in + c] : 0.0f;
      out[offset_out + (size_t)(r / 8) * ld_out + r % 8 + (size_t)c * 8] = x;
    }
  }
}
