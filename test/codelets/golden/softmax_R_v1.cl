// tilewright 0.1.0: softmax
// Y = softmax of each row of X, m x n in layout R, with zeros up to padded_m x padded_n.
// X and Y may be the same matrix.
// x, y: the row in X and Y; columns: how many the row has, 0 behind the last row; largest, sum: of
// the row; e: exponentials.

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void softmax_R_v1(const int m, const int n,
    const int padded_m, const int padded_n,
    __global const float *X, const ulong offset_x, const int ldx,
    __global float *Y, const ulong offset_y, const int ldy)
{
  const int row = (int)get_global_id(1);
  if (row >= padded_m) return;
  __global const float *x = X + offset_x + (size_t)row * ldx;
  __global float *y = Y + offset_y + (size_t)row * ldy;
  const int columns = row < m ? n : 0;

  // Find the largest.
  float largest = -FLT_MAX;
  for (int col = 0; col < columns; ++col) {
    largest = fmax(largest, x[col]);
  }

  // Store the exponentials, add them up.
  float sum = 0.0f;
  for (int col = 0; col < columns; ++col) {
    const float e = exp(x[col] - largest);
    y[col] = e;
    sum += e;
  }

  // Divide by the sum.
  for (int col = 0; col < columns; ++col) {
    y[col] = y[col] / sum;
  }
  // Store zeros up to the padded edge.
  for (int col = columns; col < padded_n; ++col) {
    y[col] = 0.0f;
  }
}
