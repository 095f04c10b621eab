// Facts about a GEMM kernel that are derived from its point before any source is written.
//
// Internal to codelets. Used by the rules and by all parts of the generator.
#pragma once

#include <optional>
#include <string>

#include "codelets/point/gemm_point.hpp"
#include "codelets/text/arithmetic_text.hpp"

namespace tilewright {

// One dimension (m or n) of the tile of a work-item. The tile consists of groups of neighbouring
// elements, which are loaded and stored together. Group g of the work-item starts at first + g *
// stride().
struct Axis {
  char extent;        // 'm', 'n'
  char start;         // 'i', 'j': prefix of the variables with the starts of the groups, i0, i1 ...
  const char* first;  // "row", "col": variable with the work-item's first element
  int tile = 1;
  int work_group = 1;
  int group = 1;
  // Number of work-items whose groups alternate; 1: the groups of a work-item are adjacent.
  int spread = 1;
  // Groups that start outside the matrix are moved back inside; otherwise the operands are padded.
  bool clamped = false;
  // Operands are read along this axis in aligned vectors: the edge is after the last complete
  // vector.
  bool whole = false;

  int groups() const { return tile / group; }
  int stride() const { return spread * group; }
  int work_group_tile() const { return work_group * tile; }
  // Distance from the first element of the tile to element t.
  int distance(int t) const { return t / group * stride() + t % group; }
  // True if groups can be moved back to any position, so that they may overlap other groups.
  bool overlaps() const { return clamped && group > 1 && !whole; }
  // Name of the variable with the edge that groups are moved back from.
  std::string edge() const {
    return whole ? std::string("whole_") + extent : std::string(1, extent);
  }
  // Index of element t in the matrix, as text. inside() is the index after moving the group back,
  // place() the index before.
  std::string inside(int t) const;
  std::string place(int t) const;
};

// One operand in global memory: A with lines along m, or B with lines along n. "Outer" is the
// dimension (m or n) that the operand shares with C.
struct OperandFacts {
  char name;             // 'a', 'b'
  const Layout& layout;  // layout of the operand in the point
  bool image = false;
  bool local = false;    // copied to local memory
  bool clamped = false;  // plain layout and guarded edges: the buffer may end where the matrix ends
  int k_run = 1;         // contiguous elements along k
  int outer_run = 1;     // contiguous elements along m or n
  int k_chunk = 1;       // extents of the layout's chunks, in elements
  int outer_chunk = 1;

  // Direction of vector loads: along k, or along m or n.
  bool along_k() const { return k_run > 1 || outer_run == 1; }
  // The parts of an element's offset, as constants and as OpenCL C text (the _text functions).
  Layout::Offset k_offset(int k) const;
  Layout::Offset outer_offset(int outer) const;
  // Offset of element i of a tile, relative to the first one, if it is the same for all tiles that
  // start at a multiple of their extent; otherwise nullopt.
  std::optional<Layout::Offset> outer_step(int tile, int i) const;
  std::string k_offset_text(const std::string& k) const;
  std::string outer_offset_text(const std::string& outer) const;
  std::string ld() const { return std::string("ld") + name; }
  // Name of the kernel argument: 'A' or 'B'.
  char argument() const { return static_cast<char>(name - 'a' + 'A'); }
};

// All facts about one kernel.
struct GemmFacts {
  // Keeps a reference to the point, which must outlive this object. The rules construct millions of
  // these objects, so nothing is copied.
  explicit GemmFacts(const GemmPoint&);

  const GemmPoint& point;
  OperandFacts a;
  OperandFacts b;
  Axis m;
  Axis n;
  bool outer = true;      // rank-1 updates, vectors along n; otherwise inner products along k
  bool local = false;     // A or B is copied to local memory, which work_group_k uses as well
  bool barriers = false;  // the k loop contains barriers: all work-items must execute it
  bool stays = false;  // work-items without a tile must not return early, because barriers follow
  bool remainder = true;  // the last iteration may be incomplete
  int iteration_k = 1;    // k steps per iteration of the innermost loop
  int block = 1;          // k steps per iteration of the outermost loop
  // Where half-precision sums are added to the single-precision sums: nowhere (there are none),
  // after each iteration, after each block, or at the end of k.
  enum class HalfSums { kNone, kIteration, kBlock, kEnd };
  HalfSums half_sums = HalfSums::kNone;

  // Elements from the start of one line to the start of the next in the local copy of an operand.
  int local_line(const OperandFacts&, const Axis&) const;
  // Elements of one local copy. There are local_buffers copies.
  int local_tile(const OperandFacts&, const Axis&) const;
  // Local memory of a work-group in bytes. `operand`: element type of the copies of A and B.
  std::int64_t local_bytes(Precision operand) const;
  // Work-items that compute one share of k.
  int work_items() const { return point.work_group_m * point.work_group_n; }
  // True if a matrix may have fewer elements than the vectors that the kernel reads from it.
  bool may_be_narrow() const;
  // Expressions of the first k step that a work-item computes, and of the end of its range.
  const char* first_k() const { return divides_k() ? "k_first" : "0"; }
  const char* end_k() const { return divides_k() ? "k_end" : "k"; }
  bool divides_k() const { return shares_of_k() > 1 || point.stream_k > 0; }
  // Number of shares into which k is divided. Each work-item computes one of them.
  int shares_of_k() const { return point.split_k * point.work_group_k; }
  // Statement with which a work-item ends its tile early. A kernel with stream_k continues with
  // the next.
  const char* end_tile() const { return point.stream_k > 0 ? "continue;" : "return;"; }
  // Type of loaded elements of A and B, and of arithmetic with them: "REAL4", "half4" ...
  std::string operand_type(int width) const;
  Precision operand_precision() const {
    return half_sums == HalfSums::kNone ? sum_precision(point.precision) : Precision::kHalf;
  }
  // Text that loads `width` elements of A or B from a buffer.
  std::string load_operand(int width, const std::string& address) const;
  // Element type of C in memory. Partial sums of a split-K kernel are stored unrounded.
  const char* c_type() const { return point.split_k > 1 ? "REAL" : "ELEMENT"; }
  // Prefix of the accumulators of products: 'c', or 'h' for half-precision sums.
  char sum_name() const { return half_sums == HalfSums::kNone ? 'c' : 'h'; }
  // Elements per accumulator, and accumulators per row of the tile.
  int accumulator_width() const;
  int accumulators_per_row() const;
};

}  // namespace tilewright
