// tilewright 0.1.0: pack image=yes tile_m=4 tile_n=4 vector_width=4
// An m x n matrix in layout C goes to an image of layout R, with zeros up to padded_m x padded_n.
// row, col: first element of the work-item's tile; from: place in the source; a0_0: read, numbered
// by row, then column; r, c: an element; x0: its value.

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void pack_C_R_i_yes_m4_n4_v4(const int m, const int n, const int padded_m, const int padded_n,
    __global const float *restrict in, const ulong offset_in, const int ld_in,
    __write_only image2d_t out, const ulong offset_out, const int ld_out)
{
  const int row = (int)get_global_id(1) * 4;
  const int col = (int)get_global_id(0) * 4;
  // All tiles of the work-group are whole: read, write.
  if ((int)get_group_id(1) * 4 <= m - 4 && (int)get_group_id(0) * 4 <= n - 4) {
    __global const float *from = in + offset_in + row + (size_t)col * ld_in;
    const float4 a0_0 = vload4(0, from);
    const float4 a0_1 = vload4(0, from + (size_t)ld_in);
    const float4 a0_2 = vload4(0, from + (size_t)2 * ld_in);
    const float4 a0_3 = vload4(0, from + (size_t)3 * ld_in);
    write_imagef(out, (int2)(col / 4, row), (float4)(a0_0.s0, a0_1.s0, a0_2.s0, a0_3.s0));
    write_imagef(out, (int2)(col / 4, row + 1), (float4)(a0_0.s1, a0_1.s1, a0_2.s1, a0_3.s1));
    write_imagef(out, (int2)(col / 4, row + 2), (float4)(a0_0.s2, a0_1.s2, a0_2.s2, a0_3.s2));
    write_imagef(out, (int2)(col / 4, row + 3), (float4)(a0_0.s3, a0_1.s3, a0_2.s3, a0_3.s3));
    return;
  }
  if (row >= padded_m || col >= padded_n) return;
  // This one is whole: the same.
  if (row + 4 <= m && col + 4 <= n) {
    __global const float *from = in + offset_in + row + (size_t)col * ld_in;
    const float4 a0_0 = vload4(0, from);
    const float4 a0_1 = vload4(0, from + (size_t)ld_in);
    const float4 a0_2 = vload4(0, from + (size_t)2 * ld_in);
    const float4 a0_3 = vload4(0, from + (size_t)3 * ld_in);
    write_imagef(out, (int2)(col / 4, row), (float4)(a0_0.s0, a0_1.s0, a0_2.s0, a0_3.s0));
    write_imagef(out, (int2)(col / 4, row + 1), (float4)(a0_0.s1, a0_1.s1, a0_2.s1, a0_3.s1));
    write_imagef(out, (int2)(col / 4, row + 2), (float4)(a0_0.s2, a0_1.s2, a0_2.s2, a0_3.s2));
    write_imagef(out, (int2)(col / 4, row + 3), (float4)(a0_0.s3, a0_1.s3, a0_2.s3, a0_3.s3));
    return;
  }
  // At the edge: read or zero, write, one by one.
  for (int r = row; r < min(row + 4, padded_m); ++r) {
    for (int c = col; c < min(col + 4, padded_n); c += 4) {
      const float x0 = r < m && c < n ? in[offset_in + r + (size_t)c * ld_in] : 0.0f;
      const float x1 = r < m && c + 1 < n ? in[offset_in + r + (size_t)(c + 1) * ld_in] : 0.0f;
      const float x2 = r < m && c + 2 < n ? in[offset_in + r + (size_t)(c + 2) * ld_in] : 0.0f;
      const float x3 = r < m && c + 3 < n ? in[offset_in + r + (size_t)(c + 3) * ld_in] : 0.0f;
      write_imagef(out, (int2)(c / 4, r), (float4)(x0, x1, x2, x3));
    }
  }
}
