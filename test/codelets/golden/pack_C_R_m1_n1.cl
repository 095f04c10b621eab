// tilewright 0.1.0: pack
// An m x n matrix in layout C goes to layout R, with zeros up to padded_m x padded_n.
// row, col: first element of the work-item's tile; x: its value.

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void pack_C_R_m1_n1(const int m, const int n, const int padded_m, const int padded_n,
    __global const float *restrict in, const ulong offset_in, const int ld_in,
    __global float *restrict out, const ulong offset_out, const int ld_out)
{
  const int row = (int)get_global_id(1);
  const int col = (int)get_global_id(0);
  if (row >= padded_m || col >= padded_n) return;
  // Read or zero, write.
  const float x = row < m && col < n ? in[offset_in + row + (size_t)col * ld_in] : 0.0f;
  out[offset_out + (size_t)row * ld_out + col] = x;
}
