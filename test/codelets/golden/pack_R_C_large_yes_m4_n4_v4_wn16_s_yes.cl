// tilewright 0.1.0: pack from=R to=C large=yes tile_m=4 tile_n=4 vector_width=4 work_group_n=16 streaming=yes
// An m x n matrix in layout R goes to layout C, with zeros up to padded_m x padded_n.
// row, col: first element of the work-item's tile; from: place in the source; to: place in the
// destination; a0_0: read, numbered by row, then column; r, c: an element; x: its value.

void stream(const float4 x, __global float *to)
{
  #ifdef __has_builtin
  #if __has_builtin(__builtin_nontemporal_store)
  if (((uintptr_t)to & 15) == 0) {
    __builtin_nontemporal_store(x, (__global float4 *)to);
    return;
  }
  #endif
  #endif
  vstore4(x, 0, to);
}

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void pack_R_C_large_yes_m4_n4_v4_wn16_s_yes(const int m, const int n, const int padded_m, const int padded_n,
    __global const float *restrict in, const ulong offset_in, const int ld_in,
    __global float *restrict out, const ulong offset_out, const int ld_out)
{
  const int row = (int)get_global_id(1) * 4;
  const int col = (int)get_global_id(0) * 4;
  // All tiles of the work-group are whole: read, write.
  if ((int)get_group_id(1) * 4 <= m - 4 && (int)get_group_id(0) * 64 <= n - 64) {
    __global const float *from = in + offset_in + (size_t)row * ld_in + col;
    __global float *to = out + offset_out + row + (size_t)col * ld_out;
    const float4 a0_0 = vload4(0, from);
    const float4 a1_0 = vload4(0, from + (size_t)ld_in);
    const float4 a2_0 = vload4(0, from + (size_t)2 * ld_in);
    const float4 a3_0 = vload4(0, from + (size_t)3 * ld_in);
    stream((float4)(a0_0.s0, a1_0.s0, a2_0.s0, a3_0.s0), to);
    stream((float4)(a0_0.s1, a1_0.s1, a2_0.s1, a3_0.s1), to + (size_t)ld_out);
    stream((float4)(a0_0.s2, a1_0.s2, a2_0.s2, a3_0.s2), to + (size_t)2 * ld_out);
    stream((float4)(a0_0.s3, a1_0.s3, a2_0.s3, a3_0.s3), to + (size_t)3 * ld_out);
    return;
  }
  if (row >= padded_m || col >= padded_n) return;
  // This one is whole: the same.
  if (row + 4 <= m && col + 4 <= n) {
    __global const float *from = in + offset_in + (size_t)row * ld_in + col;
    __global float *to = out + offset_out + row + (size_t)col * ld_out;
    const float4 a0_0 = vload4(0, from);
    const float4 a1_0 = vload4(0, from + (size_t)ld_in);
    const float4 a2_0 = vload4(0, from + (size_t)2 * ld_in);
    const float4 a3_0 = vload4(0, from + (size_t)3 * ld_in);
    stream((float4)(a0_0.s0, a1_0.s0, a2_0.s0, a3_0.s0), to);
    stream((float4)(a0_0.s1, a1_0.s1, a2_0.s1, a3_0.s1), to + (size_t)ld_out);
    stream((float4)(a0_0.s2, a1_0.s2, a2_0.s2, a3_0.s2), to + (size_t)2 * ld_out);
    stream((float4)(a0_0.s3, a1_0.s3, a2_0.s3, a3_0.s3), to + (size_t)3 * ld_out);
    return;
  }
  // At the edge: read or zero, write, one by one.
  for (int r = row; r < min(row + 4, padded_m); ++r) {
    for (int c = col; c < min(col + 4, padded_n); ++c) {
      const float x = r < m && c < n ? in[offset_in + (size_t)r * ld_in + c] : 0.0f;
      out[offset_out + r + (size_t)c * ld_out] = x;
    }
  }
}
