// tilewright 0.1.0: softmax precision=h activation=log
// Y = log softmax of each row of X, m x n in layout R, with zeros up to padded_m x padded_n.
// X and Y may be the same matrix.
// x, y: the row in X and Y; columns: how many the row has, 0 behind the last row; largest, sum: of
// the row; d: exponents.

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void hsoftmax_R_v1_act_log(const int m, const int n,
    const int padded_m, const int padded_n,
    __global const half *X, const ulong offset_x, const int ldx,
    __global half *Y, const ulong offset_y, const int ldy)
{
  const int row = (int)get_global_id(1);
  if (row >= padded_m) return;
  __global const half *x = X + offset_x + (size_t)row * ldx;
  __global half *y = Y + offset_y + (size_t)row * ldy;
  const int columns = row < m ? n : 0;

  // Find the largest.
  float largest = -FLT_MAX;
  for (int col = 0; col < columns; ++col) {
    largest = fmax(largest, vload_half(col, x));
  }

  // Store the exponents, add up the exponentials.
  float sum = 0.0f;
  for (int col = 0; col < columns; ++col) {
    const float d = vload_half(col, x) - largest;
    vstore_half_rte(d, col, y);
    sum += exp(d);
  }

  // Take the logarithm of the sum away.
  const float logarithm = log(sum);
  for (int col = 0; col < columns; ++col) {
    vstore_half_rte(vload_half(col, y) - logarithm, col, y);
  }
  // Store zeros up to the padded edge.
  for (int col = columns; col < padded_n; ++col) {
    vstore_half_rte(0.0f, col, y);
  }
}
