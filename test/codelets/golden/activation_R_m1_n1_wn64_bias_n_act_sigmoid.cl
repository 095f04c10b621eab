// tilewright 0.1.0: activation work_group_n=64 bias=n activation=sigmoid
// Y = activation(X + bias), m x n in layout R, with zeros up to padded_m x padded_n.
// X and Y may be the same matrix.
// row, col: first element of the work-item's tile; v, value: its value before and after.

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void activation_R_m1_n1_wn64_bias_n_act_sigmoid(const int m, const int n,
    const int padded_m, const int padded_n,
    __global const float *X, const ulong offset_x, const int ldx,
    __global float *Y, const ulong offset_y, const int ldy,
    __global const float *restrict bias, const ulong offset_bias)
{
  const int row = (int)get_global_id(1);
  const int col = (int)get_global_id(0);
  if (row >= padded_m || col >= padded_n) return;
  // Load, apply, store; zero beyond the edge.
  float value = 0.0f;
  if (row < m && col < n) {
    const float v = X[offset_x + (size_t)row * ldx + col] + bias[offset_bias + col];
    value = 1.0f / (1.0f + exp(-v));
  }
  Y[offset_y + (size_t)row * ldy + col] = value;
}
