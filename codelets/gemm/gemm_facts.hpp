// What follows from a point before a line of its kernel is written?
//
// Internal to codelets. The rules look at these facts, the emitter's parts share them.
#pragma once

#include <optional>
#include <string>

#include "codelets/point/gemm_point.hpp"
#include "codelets/text/arithmetic_text.hpp"

namespace tilewright {

// One dimension of C, as a work-item meets it. Its tile is made of groups: elements that lie side
// by side and are read and stored together. Group g of the work-item begins at first + g *
// stride().
struct Axis {
  char extent;        // 'm', 'n'
  char start;         // 'i', 'j': names of the groups' starts, i0, i1 ...
  const char* first;  // "row", "col": name of the work-item's first element
  int tile = 1;
  int work_group = 1;
  int group = 1;
  // Work-items among which the groups are dealt out in turns; 1: each has its own side by side.
  int spread = 1;
  // Groups that begin past the edge are moved back inside; else operands are padded.
  bool clamped = false;
  // What is read along it is aligned vectors: the edge is behind the last whole one.
  bool whole = false;

  int groups() const { return tile / group; }
  int stride() const { return spread * group; }
  int work_group_tile() const { return work_group * tile; }
  // Distance of element t of the tile from the first.
  int distance(int t) const { return t / group * stride() + t % group; }
  // May groups that are moved back begin anywhere, so that they overlap others?
  bool overlaps() const { return clamped && group > 1 && !whole; }
  // Name of the edge that groups are moved back from.
  std::string edge() const {
    return whole ? std::string("whole_") + extent : std::string(1, extent);
  }
  // Text of the place of element t: moved back inside if it may be outside, and as it is.
  std::string inside(int t) const;
  std::string place(int t) const;
};

// One operand as it lies in global memory: A with its rows along m, or B with its columns along n.
// "Outer" is the dimension that it shares with C.
struct OperandFacts {
  char name;             // 'a', 'b'
  const Layout& layout;  // of the point
  bool image = false;
  bool local = false;    // goes through local memory
  bool clamped = false;  // plain and guarded: may end where the matrix ends
  int k_run = 1;         // contiguous elements along k
  int outer_run = 1;     // contiguous elements along m or n
  int k_chunk = 1;       // extents of the layout's chunks
  int outer_chunk = 1;

  // Which way loads go: along k, or along m or n.
  bool along_k() const { return k_run > 1 || outer_run == 1; }
  // The parts of an element's place, as constants and as OpenCL C.
  Layout::Offset k_offset(int k) const;
  Layout::Offset outer_offset(int outer) const;
  // Distance of element i of a tile that begins at any multiple of its extent, if it is always the
  // same.
  std::optional<Layout::Offset> outer_step(int tile, int i) const;
  std::string k_offset_text(const std::string& k) const;
  std::string outer_offset_text(const std::string& outer) const;
  std::string ld() const { return std::string("ld") + name; }
  // Name of the kernel's argument: "A", "B".
  char argument() const { return static_cast<char>(name - 'a' + 'A'); }
};

struct GemmFacts {
  // The point must outlive the facts: rules make them by the million and copy nothing.
  explicit GemmFacts(const GemmPoint&);

  const GemmPoint& point;
  OperandFacts a;
  OperandFacts b;
  Axis m;
  Axis n;
  bool outer = true;      // vectors along n; else along k
  bool local = false;     // anything goes through local memory
  bool barriers = false;  // the k loop has barriers: all work-items must run it
  bool stays = false;     // work-items without a place may not leave at once: there are barriers
  bool remainder = true;  // k may end inside a turn of the loop
  int turn = 1;           // k steps per turn of the innermost loop
  int block = 1;          // k steps per turn of the outermost loop
  // Where sums in halfs, if there are any, go to those in floats.
  enum class HalfSums { kNone, kTurn, kBlock, kEnd };
  HalfSums half_sums = HalfSums::kNone;

  // Elements from one line of an operand's local tile to the next, and of the whole tile.
  int local_line(const OperandFacts&, const Axis&) const;
  int local_tile(const OperandFacts&, const Axis&) const;
  // `operand`: what A and B are there.
  std::int64_t local_bytes(Precision operand) const;
  // Of one share of k.
  int work_items() const { return point.work_group_m * point.work_group_n; }
  // Can a matrix have fewer elements than a vector that is read from it?
  bool may_be_narrow() const;
  // Names of the first k step that a work-item adds up, and of the one behind its last.
  const char* first_k() const { return shares_of_k() > 1 ? "k_first" : "0"; }
  const char* end_k() const { return shares_of_k() > 1 ? "k_end" : "k"; }
  // Into how many shares k is cut: a work-item goes along one of them.
  int shares_of_k() const { return point.split_k * point.work_group_k; }
  // Type of what is read of A and B, and of what is computed with it: "REAL4", "half4" ...
  std::string operand_type(int width) const;
  Precision operand_precision() const {
    return half_sums == HalfSums::kNone ? sums_of(point.precision) : Precision::kHalf;
  }
  // Text that reads a part of A or B from a buffer.
  std::string load_operand(int width, const std::string& address) const;
  // Type of the elements of C in memory: partial sums of split k are not rounded.
  const char* c_type() const { return point.split_k > 1 ? "REAL" : "ELEMENT"; }
  // Names of accumulators where products are added up: "c", or "h" of sums in halfs.
  char sum_name() const { return half_sums == HalfSums::kNone ? 'c' : 'h'; }
  // Elements of one accumulator, and how many of them a row of the tile has.
  int accumulator_width() const;
  int accumulators_per_row() const;
};

}  // namespace tilewright
