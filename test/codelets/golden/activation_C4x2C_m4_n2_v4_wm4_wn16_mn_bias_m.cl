// tilewright 0.1.0: activation layout=C4x2C tile_m=4 tile_n=2 vector_width=4 work_group_m=4 work_group_n=16 id_order=mn bias=m
// Y = activation(X + bias), m x n in layout C 4 2 C, with zeros up to padded_m x padded_n.
// X and Y may be the same matrix.
// row, col: first element of the work-item's tile; x, y: places in X and Y; b0: biases; x0_0:
// loaded, numbered by line, then place in it; r, c: an element; v, value: its value before and
// after.

__kernel __attribute__((reqd_work_group_size(4, 16, 1)))
void activation_C4x2C_m4_n2_v4_wm4_wn16_mn_bias_m(const int m, const int n,
    const int padded_m, const int padded_n,
    __global const float *X, const ulong offset_x, const int ldx,
    __global float *Y, const ulong offset_y, const int ldy,
    __global const float *restrict bias, const ulong offset_bias)
{
  const int row = (int)get_global_id(0) * 4;
  const int col = (int)get_global_id(1) * 2;
  if (row >= padded_m || col >= padded_n) return;
  // The tile is whole: load, apply, store.
  if (row + 4 <= m && col + 2 <= n) {
    __global const float *x = X + offset_x + (size_t)(row / 4) * 8 + row % 4 + (size_t)(col / 2) * ldx + (col % 2) * 4;
    __global float *y = Y + offset_y + (size_t)(row / 4) * 8 + row % 4 + (size_t)(col / 2) * ldy + (col % 2) * 4;
    const float4 b0 = vload4(0, bias + offset_bias + row);
    const float4 x0_0 = vload4(0, x) + b0;
    vstore4(x0_0, 0, y);
    const float4 x1_0 = vload4(0, x + 4) + b0;
    vstore4(x1_0, 0, y + 4);
    return;
  }
  // At the edge: one by one, zeros beyond it.
  for (int r = row; r < min(row + 4, padded_m); ++r) {
    for (int c = col; c < min(col + 2, padded_n); ++c) {
      float value = 0.0f;
      if (r < m && c < n) {
        const float v = X[offset_x + (size_t)(r / 4) * 8 + r % 4 + (size_t)(c / 2) * ldx + (c % 2) * 4] + bias[offset_bias + r];
        value = v;
      }
      Y[offset_y + (size_t)(r / 4) * 8 + r % 4 + (size_t)(c / 2) * ldy + (c % 2) * 4] = value;
    }
  }
}
