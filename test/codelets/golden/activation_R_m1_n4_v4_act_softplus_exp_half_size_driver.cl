// tilewright 0.1.0: activation tile_n=4 vector_width=4 activation=softplus exp=half group_size=driver
// Y = activation(X + bias), m x n in layout R, with zeros up to padded_m x padded_n.
// X and Y may be the same matrix.
// row, col: first element of the work-item's tile; x, y: places in X and Y; x0_0: loaded, numbered
// by line, then place in it; r, c: an element; v, value: its value before and after.

__kernel
void activation_R_m1_n4_v4_act_softplus_exp_half_size_driver(const int m, const int n,
    const int padded_m, const int padded_n,
    __global const float *X, const ulong offset_x, const int ldx,
    __global float *Y, const ulong offset_y, const int ldy)
{
  const int row = (int)get_global_id(1);
  const int col = (int)get_global_id(0) * 4;
  if (row >= padded_m || col >= padded_n) return;
  // The tile is whole: load, apply, store.
  if (row + 1 <= m && col + 4 <= n) {
    __global const float *x = X + offset_x + (size_t)row * ldx + col;
    __global float *y = Y + offset_y + (size_t)row * ldy + col;
    const float4 x0_0 = vload4(0, x);
    vstore4(fmax(x0_0, 0.0f) + log1p(half_exp(-fabs(x0_0))), 0, y);
    return;
  }
  // At the edge: one by one, zeros beyond it.
  for (int r = row; r < min(row + 1, padded_m); ++r) {
    for (int c = col; c < min(col + 4, padded_n); ++c) {
      float value = 0.0f;
      if (r < m && c < n) {
        const float v = X[offset_x + (size_t)r * ldx + c];
        value = fmax(v, 0.0f) + log1p(half_exp(-fabs(v)));
      }
      Y[offset_y + (size_t)r * ldy + c] = value;
    }
  }
}
