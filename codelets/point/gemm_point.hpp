// Which choices make one GEMM kernel?
#pragma once

#include <compare>

#include "codelets/text/compile_forms.hpp"
#include "codelets/text/multiply_add.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// How the innermost multiply-adds are arranged.
enum class Inner {
  kOuter,    // rank-1 updates: vectors of C along n, one element of A times a vector of B
  kDot,      // inner products along k with dot(): scalars of C
  kPartial,  // inner products along k: each element of C is a vector of partial sums, folded at the
             // end
};

// Which elements of a work-group's (or its lanes') part of C belong to one work-item.
enum class Assignment {
  kConsecutive,  // a rectangle
  kOffset,       // fragments, each one's neighbours being those of the other work-items
};

// When the next k tile is fetched for local memory.
enum class Prefetch {
  kNone,         // when it is needed
  kConditional,  // into registers before the current one is used, if there is a next one
  kClamped,      // the same without a condition: the last tile is fetched twice
};

// In which order work-groups walk over C.
enum class GroupOrder {
  kRows,     // row by row of work-groups
  kColumns,  // column by column
  kTiled,    // bands of 8 rows of work-groups, column by column inside
  kMorton,   // squares of 8 x 8 work-groups in Z order
};

// How vectors in global memory are reached.
enum class Access {
  kVload,     // vloadN: any alignment
  kAligned,   // pointer to a vector: needs aligned offsets and leading dimensions
  kElements,  // vloadN, but float by float on the way to local memory: neighbours from neighbours
};

// How the k loop moves over an operand.
enum class Addressing {
  kPointers,  // every line of the operand has a pointer of its own that runs
  kIndices,   // the lines' pointers stand still; one running offset serves all of them
};

// In order of text and of comparison: the smaller point is the simpler one.
struct GemmPoint {
  Precision precision = Precision::kSingle;  // of matrices
  Layout layout_a;
  Layout layout_b;
  Layout layout_c;
  int tile_m = 1;        // rows of C per work-item
  int tile_n = 1;        // columns of C per work-item
  int tile_k = 1;        // k steps whose operands are read before they are multiplied
  int unroll_k = 1;      // such tiles per turn of the loop
  int vector_width = 1;  // floats per vector of C (outer) or of k (dot, partial)
  Inner inner = Inner::kOuter;
  MultiplyAdd multiply_add = MultiplyAdd::kExpression;
  int accumulate_k = 0;  // k steps added up in halfs; 0: in floats, kWholeK: all
  int work_group_m = 1;  // work-items of a work-group along m
  int work_group_n = 1;  // work-items of a work-group along n
  IdOrder id_order = IdOrder::kNM;
  Assignment assignment = Assignment::kConsecutive;
  int lanes_m = 1;        // lanes_m x lanes_n work-items with consecutive ids lie side by side
  int lanes_n = 1;        // 1 x 1: as id_order has it
  int cache_block_k = 0;  // k steps between barriers, the depth of local memory's k tile; 0: none
  bool local_a = false;   // A goes through local memory
  bool local_b = false;
  int local_buffers = 1;  // 2: one is filled while the other is read
  int local_pad = 0;      // floats between two lines of local memory
  Prefetch prefetch = Prefetch::kNone;
  bool image_a = false;  // A is read through an image
  bool image_b = false;
  GroupOrder group_order = GroupOrder::kRows;
  int split_k = 1;       // parts of k, computed side by side and added up by a reduce kernel
  int work_group_k = 1;  // work-items that share the k of a tile, and add their sums up
  Edges edges = Edges::kGuarded;
  Access access = Access::kVload;
  Addressing addressing = Addressing::kPointers;
  Dimension bias = Dimension::kNone;
  Activation activation = Activation::kIdentity;
  Exponential exp = Exponential::kExp;
  Math math = Math::kExact;
  GroupSize group_size = GroupSize::kRequired;

  auto operator<=>(const GemmPoint&) const = default;
};

// The point with the plain layouts of `op` and the first value of everything else.
inline GemmPoint gemm_point(Op op) {
  GemmPoint point;
  point.layout_a = layout_a_of(op);
  point.layout_b = layout_b_of(op);
  return point;
}

}  // namespace tilewright
