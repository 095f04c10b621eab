// tilewright 0.1.0: softmax vector_width=4 work_group_m=2 work_group_n=32 activation=log
// Y = log softmax of each row of X, m x n by rows, with zeros up to padded_m x padded_n.
// X and Y may be the same matrix.
//   x, y: the row in X and in Y
//   columns: elements in the row, 0 after the last row
//   whole: elements in whole vectors
//   part: number of this work-item in the row
//   id: number of this work-item in the work-group
//   meeting: a value of each work-item, to combine them
//   largest, sum: of the row
//   d: exponents
//   REAL: type of the arithmetic
//   ELEMENT: type of the elements in memory

#define REAL float
#define REAL2 float2
#define REAL4 float4
#define ELEMENT float
#define LOAD(p) *(p)
#define LOAD4(p) vload4(0, p)
#define STORE(x, p) *(p) = x
#define STORE4(x, p) vstore4(x, 0, p)

__kernel __attribute__((reqd_work_group_size(32, 2, 1)))
void softmax_v4_wm2_wn32_act_log(const int m, const int n,
    const int padded_m, const int padded_n,
    __global const ELEMENT *X, const ulong offset_x, const int ldx,
    __global ELEMENT *Y, const ulong offset_y, const int ldy)
{
  const int row = (int)get_global_id(1);
  __local REAL meeting[64];
  const int part = (int)get_local_id(0);
  const int id = (int)get_local_id(1) * 32 + part;
  __global const ELEMENT *x = X + offset_x + (size_t)row * ldx;
  __global ELEMENT *y = Y + offset_y + (size_t)row * ldy;
  const int columns = row < m ? n : 0;
  const int whole = columns - columns % 4;

  // Find the largest element of the row.
  REAL4 largest4 = (REAL4)(-FLT_MAX);
  for (int col = part * 4; col < whole; col += 128) {
    largest4 = fmax(largest4, LOAD4(x + col));
  }
  const REAL2 largest2 = fmax(largest4.lo, largest4.hi);
  REAL largest = fmax(largest2.s0, largest2.s1);
  for (int col = whole + part; col < columns; col += 32) {
    largest = fmax(largest, LOAD(x + col));
  }
  meeting[id] = largest;
  for (int parts = 16; parts > 0; parts >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (part < parts) meeting[id] = fmax(meeting[id], meeting[id + parts]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  largest = meeting[id - part];

  // Store the exponents and add up the exponentials.
  REAL4 sum4 = (REAL4)(0.0f);
  for (int col = part * 4; col < whole; col += 128) {
    const REAL4 d = LOAD4(x + col) - largest;
    STORE4(d, y + col);
    sum4 += exp(d);
  }
  const REAL2 sum2 = sum4.lo + sum4.hi;
  REAL sum = sum2.s0 + sum2.s1;
  for (int col = whole + part; col < columns; col += 32) {
    const REAL d = LOAD(x + col) - largest;
    STORE(d, y + col);
    sum += exp(d);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  meeting[id] = sum;
  for (int parts = 16; parts > 0; parts >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (part < parts) meeting[id] = meeting[id] + meeting[id + parts];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = meeting[id - part];

  // Subtract the logarithm of the sum.
  const REAL logarithm = log(sum);
  for (int col = part * 4; col < whole; col += 128) {
    STORE4(LOAD4(y + col) - logarithm, y + col);
  }
  for (int col = whole + part; col < columns; col += 32) {
    STORE(LOAD(y + col) - logarithm, y + col);
  }
  // Store zeros in the padding.
  if (row >= padded_m) return;
  for (int col = columns + part; col < padded_n; col += 32) {
    STORE(0.0f, y + col);
  }
}
