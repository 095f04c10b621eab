// tilewright 0.1.0: activation tile_n=8 vector_width=4 work_group_n=64 id_order=flat bias=n activation=relu
// Y = activation(X + bias), m x n in layout R, with zeros up to padded_m x padded_n.
// X and Y may be the same matrix.
// at: the work-item's first element, in the order of memory; end: behind the last one; e: one of
// its elements; row, col: its place; x, y: places in X and Y; x0: loaded; v, value: its value
// before and after.

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void activation_R_m1_n8_v4_wn64_flat_bias_n_act_relu(const int m, const int n,
    const int padded_m, const int padded_n,
    __global const float *X, const ulong offset_x, const int ldx,
    __global float *Y, const ulong offset_y, const int ldy,
    __global const float *restrict bias, const ulong offset_bias)
{
  const size_t at = get_global_id(0) * 8;
  const size_t end = (size_t)padded_m * padded_n;
  if (at >= end) return;
  // Without gaps: load, apply, store.
  if (m == padded_m && n == padded_n && ldx == n && ldy == n && at + 8 <= end && n % 4 == 0) {
    __global const float *x = X + offset_x + at;
    __global float *y = Y + offset_y + at;
    const float4 x0 = vload4(0, x) + vload4(0, bias + offset_bias + at % n);
    const float4 x4 = vload4(0, x + 4) + vload4(0, bias + offset_bias + (at + 4) % n);
    vstore4(fmax(x0, 0.0f), 0, y);
    vstore4(fmax(x4, 0.0f), 0, y + 4);
    return;
  }
  // Where memory has gaps, or ends: one by one, zeros beyond the edge.
  for (size_t e = at; e < end && e < at + 8; ++e) {
    const int row = (int)(e / padded_n);
    const int col = (int)(e % padded_n);
    float value = 0.0f;
    if (row < m && col < n) {
      const float v = X[offset_x + (size_t)row * ldx + col] + bias[offset_bias + col];
      value = fmax(v, 0.0f);
    }
    Y[offset_y + (size_t)row * ldy + col] = value;
  }
}
