// tilewright 0.1.0: softmax precision=h vector_width=4 work_group_n=32
// Y = softmax of each row of X, m x n in layout R, with zeros up to padded_m x padded_n.
// X and Y may be the same matrix.
// x, y: the row in X and Y; columns: how many the row has, 0 behind the last row; whole: how many
// are whole vectors; part: the work-item's number in the row; id: its number in the work-group;
// meeting: a value of each work-item; largest, sum: of the row; e: exponentials.

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void hsoftmax_R_v4_wn32(const int m, const int n,
    const int padded_m, const int padded_n,
    __global const half *X, const ulong offset_x, const int ldx,
    __global half *Y, const ulong offset_y, const int ldy)
{
  const int row = (int)get_global_id(1);
  __local float meeting[32];
  const int part = (int)get_local_id(0);
  const int id = part;
  __global const half *x = X + offset_x + (size_t)row * ldx;
  __global half *y = Y + offset_y + (size_t)row * ldy;
  const int columns = row < m ? n : 0;
  const int whole = columns - columns % 4;

  // Find the largest.
  float4 largest4 = (float4)(-FLT_MAX);
  for (int col = part * 4; col < whole; col += 128) {
    largest4 = fmax(largest4, vload_half4(0, x + col));
  }
  const float2 largest2 = fmax(largest4.lo, largest4.hi);
  float largest = fmax(largest2.s0, largest2.s1);
  for (int col = whole + part; col < columns; col += 32) {
    largest = fmax(largest, vload_half(col, x));
  }
  meeting[id] = largest;
  for (int parts = 16; parts > 0; parts >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (part < parts) meeting[id] = fmax(meeting[id], meeting[id + parts]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  largest = meeting[id - part];

  // Store the exponentials, add them up.
  float4 sum4 = (float4)(0.0f);
  for (int col = part * 4; col < whole; col += 128) {
    const float4 e = exp(vload_half4(0, x + col) - largest);
    vstore_half4_rte(e, 0, y + col);
    sum4 += e;
  }
  const float2 sum2 = sum4.lo + sum4.hi;
  float sum = sum2.s0 + sum2.s1;
  for (int col = whole + part; col < columns; col += 32) {
    const float e = exp(vload_half(col, x) - largest);
    vstore_half_rte(e, col, y);
    sum += e;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  meeting[id] = sum;
  for (int parts = 16; parts > 0; parts >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (part < parts) meeting[id] = meeting[id] + meeting[id + parts];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  sum = meeting[id - part];

  // Divide by the sum.
  for (int col = part * 4; col < whole; col += 128) {
    vstore_half4_rte(vload_half4(0, y + col) / sum, 0, y + col);
  }
  for (int col = whole + part; col < columns; col += 32) {
    vstore_half_rte(vload_half(col, y) / sum, col, y);
  }
  // Store zeros up to the padded edge.
  if (row >= padded_m) return;
  for (int col = columns + part; col < padded_n; col += 32) {
    vstore_half_rte(0.0f, col, y);
  }
}
