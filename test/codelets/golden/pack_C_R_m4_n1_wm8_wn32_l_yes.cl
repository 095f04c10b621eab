// tilewright 0.1.0: pack tile_m=4 work_group_m=8 work_group_n=32 local=yes
// Copies an m x n matrix in layout C to layout R, with zeros up to padded_m x padded_n.
//   row, col: first element of the work-group's tile
//   tile: the tile in local memory, by lines of the source
//   id: number of the work-item
//   line_in, line_out: first line of the tile that this work-item reads, writes
//   at_in, at_out: first position in that line
//   row_in, col_in, row_out, col_out: row and column of these in the matrix
//   from, to, staged: addresses in the matrices and in local memory
//   r, c: an element
//   REAL: type of the arithmetic
//   ELEMENT: type of the elements in memory

#define REAL float
#define ELEMENT float
#define LOAD(p) *(p)
#define STORE(x, p) *(p) = x

__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void pack_C_R_m4_n1_wm8_wn32_l_yes(const int m, const int n, const int padded_m, const int padded_n,
    __global const ELEMENT *restrict in, const ulong offset_in, const int ld_in,
    __global ELEMENT *restrict out, const ulong offset_out, const int ld_out)
{
  __local REAL tile[1056];
  const int row = (int)get_group_id(1) * 32;
  const int col = (int)get_group_id(0) * 32;
  const uint id = (uint)get_local_id(1) * 32 + (uint)get_local_id(0);
  // Copy into local memory, with zeros beyond the edge.
  const int line_in = (int)(id / 32);
  const int at_in = (int)(id % 32);
  const int row_in = row + at_in;
  const int col_in = col + line_in;
  if (row + 32 <= m && col + 32 <= n) {
    __global const ELEMENT *from = in + offset_in + row_in + (size_t)col_in * ld_in;
    __local REAL *staged = tile + line_in * 33 + at_in;
    *staged = LOAD(from);
    staged[264] = LOAD(from + (size_t)8 * ld_in);
    staged[528] = LOAD(from + (size_t)16 * ld_in);
    staged[792] = LOAD(from + (size_t)24 * ld_in);
  }
  else {
    for (int line = line_in; line < 32; line += 8) {
      const int at = at_in;
      const int r = row + at;
      const int c = col + line;
      tile[line * 33 + at] = r < m && c < n ? LOAD(in + offset_in + r + (size_t)c * ld_in) : 0.0f;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // Copy from local memory to the destination.
  const int line_out = (int)(id / 32);
  const int at_out = (int)(id % 32);
  const int row_out = row + line_out;
  const int col_out = col + at_out;
  if (row + 32 <= padded_m && col + 32 <= padded_n) {
    __global ELEMENT *to = out + offset_out + (size_t)row_out * ld_out + col_out;
    __local const REAL *staged = tile + at_out * 33 + line_out;
    STORE(*staged, to);
    STORE(staged[8], to + (size_t)8 * ld_out);
    STORE(staged[16], to + (size_t)16 * ld_out);
    STORE(staged[24], to + (size_t)24 * ld_out);
  }
  else {
    for (int line = line_out; line < 32; line += 8) {
      const int at = at_out;
      const int r = row + line;
      const int c = col + at;
      if (r < padded_m && c < padded_n) {
        STORE(tile[at * 33 + line], out + offset_out + (size_t)r * ld_out + c);
      }
    }
  }
}
