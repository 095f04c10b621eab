// tilewright 0.1.0: activation precision=h tile_m=2 tile_n=8 vector_width=8 work_group_n=8 bias=n activation=leaky_relu
// Y = activation(X + bias), m x n by rows, with zeros up to padded_m x padded_n.
// X and Y may be the same matrix.
//   row, col: first element of this work-item's tile
//   x, y: addresses in X and Y
//   b0: biases
//   x0_0: loaded elements, by row, then column of the tile
//   r, c: an element
//   v, value: value of an element before and after
//   REAL: type of the arithmetic
//   ELEMENT: type of the elements in memory

#define REAL float
#define REAL8 float8
#define ELEMENT half
#define LOAD(p) vload_half(0, p)
#define STORE(x, p) vstore_half_rte(x, 0, p)

float8 LOAD8(__global const half *p)
{
  const ushort8 bits = vload8(0, (__global const ushort *)p);
  return vload_half8(0, (const half *)&bits);
}

void STORE8(const float8 x, __global half *p)
{
  ushort8 bits;
  vstore_half8_rte(x, 0, (half *)&bits);
  vstore8(bits, 0, (__global ushort *)p);
}

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void hactivation_m2_n8_v8_wn8_bias_n_act_leaky_relu(const int m, const int n,
    const int padded_m, const int padded_n,
    __global const ELEMENT *X, const ulong offset_x, const int ldx,
    __global ELEMENT *Y, const ulong offset_y, const int ldy,
    __global const float *restrict bias, const ulong offset_bias, const float slope)
{
  const int row = (int)get_global_id(1) * 2;
  const int col = (int)get_global_id(0) * 8;
  if (row >= padded_m || col >= padded_n) return;
  // The tile is inside the matrix: load, apply, store.
  if (row + 2 <= m && col + 8 <= n) {
    __global const ELEMENT *x = X + offset_x + (size_t)row * ldx + col;
    __global ELEMENT *y = Y + offset_y + (size_t)row * ldy + col;
    const REAL8 b0 = vload8(0, bias + offset_bias + col);
    const REAL8 x0_0 = LOAD8(x) + b0;
    STORE8(select(x0_0, slope * x0_0, x0_0 < 0.0f), y);
    const REAL8 x1_0 = LOAD8(x + (size_t)ldx) + b0;
    STORE8(select(x1_0, slope * x1_0, x1_0 < 0.0f), y + (size_t)ldy);
    return;
  }
  // At the edge, element by element, with zeros in the padding.
  for (int r = row; r < min(row + 2, padded_m); ++r) {
    for (int c = col; c < min(col + 8, padded_n); ++c) {
      REAL value = 0.0f;
      if (r < m && c < n) {
        const REAL v = LOAD(X + offset_x + (size_t)r * ldx + c) + bias[offset_bias + c];
        value = v < 0.0f ? slope * v : v;
      }
      STORE(value, Y + offset_y + (size_t)r * ldy + c);
    }
  }
}
