// Parameters of a GEMM kernel.
#pragma once

#include <compare>

#include "codelets/text/compile_forms.hpp"
#include "codelets/text/multiply_add.hpp"
#include "profiles/kernel_record.hpp"

namespace tilewright {

// Arrangement of the innermost multiply-adds.
enum class Inner {
  kOuter,  // rank-1 updates: vectors of C along n; one element of A times a vector of B
  kDot,    // inner products along k with dot(): scalars of C
  // inner products along k: every element of C is a vector of partial sums, which is reduced at the
  // end
  kPartial,
};

// Which elements of the C tile of a work-group (or of its lanes) belong to one work-item.
enum class Assignment {
  kConsecutive,  // a contiguous rectangle
  // fragments that alternate with those of the other work-items
  kOffset,
};

// When the next k tile is loaded on its way to local memory.
enum class Prefetch {
  kNone,  // when it is needed
  // into registers before the current tile is used, if there is a next tile
  kConditional,
  kClamped,  // like kConditional, but without the condition: the last tile is loaded twice
};

// Order in which work-groups traverse C.
enum class GroupOrder {
  kRows,     // row by row of work-groups
  kColumns,  // column by column
  kTiled,    // bands of 8 rows of work-groups, each traversed column by column
  kMorton,   // squares of 8 x 8 work-groups in Z order (Morton order)
};

// How vectors in global memory are loaded and stored.
enum class Access {
  kVload,    // vloadN, vstoreN: any alignment
  kAligned,  // pointers to vectors: offsets and leading dimensions must be multiples of the vector
             // width
  // like kVload, but matrices are copied to local memory element by element, so that neighbouring
  // work-items read neighbouring elements
  kElements,
};

// How addresses of an operand advance in the k loop.
enum class Addressing {
  kPointers,  // each line of the operand has its own pointer, which advances
  kIndices,   // the pointers of the lines stay constant; all lines share one advancing offset
};

// Points are compared member by member in this order; the smaller point is the simpler one. The
// text of a point lists the parameters in the order of gemm_fields().
struct GemmPoint {
  Precision precision = Precision::kSingle;  // element type of the matrices
  Layout layout_a;
  Layout layout_b;
  Layout layout_c;
  int tile_m = 1;        // rows of C per work-item
  int tile_n = 1;        // columns of C per work-item
  int tile_k = 1;        // k steps whose operands are loaded before they are multiplied
  int unroll_k = 1;      // k tiles per iteration of the k loop
  int vector_width = 1;  // elements per vector of C (kOuter) or of k (kDot, kPartial)
  Inner inner = Inner::kOuter;
  MultiplyAdd multiply_add = MultiplyAdd::kExpression;
  // Number of k steps that are accumulated in half precision. 0: none, all sums are single
  // precision; kWholeK: all.
  int accumulate_k = 0;
  int work_group_m = 1;  // work-items per work-group along m
  int work_group_n = 1;  // work-items per work-group along n
  IdOrder id_order = IdOrder::kNM;
  Assignment assignment = Assignment::kConsecutive;
  int lanes_m = 1;  // lanes_m x lanes_n work-items with consecutive ids form a rectangle
  int lanes_n = 1;  // 1 x 1: the order of id_order
  // Number of k steps between barriers, and depth of a k tile in local memory; 0: no barriers.
  int cache_block_k = 0;
  bool local_a = false;  // A is copied to local memory
  bool local_b = false;
  int local_buffers = 1;  // 2: one is filled while the other one is read
  int local_pad = 0;      // unused elements after each line in local memory
  Prefetch prefetch = Prefetch::kNone;
  bool image_a = false;  // A is read through an image
  bool image_b = false;
  GroupOrder group_order = GroupOrder::kRows;
  // Number of parts of k that are computed in parallel; a reduce kernel adds them up.
  int split_k = 1;
  // Stream-K: work-groups per compute unit that run at the same time. The k steps of the tiles that
  // do not fill a wave of them are divided evenly among a wave. 0: off.
  int stream_k = 0;
  // Work-items that divide the k steps of a tile among them and add up their sums.
  int work_group_k = 1;
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

// The point with the plain layouts of `op`; all other parameters have their first values.
inline GemmPoint gemm_point(Op op) {
  GemmPoint point;
  point.layout_a = op_layout_a(op);
  point.layout_b = op_layout_b(op);
  return point;
}

}  // namespace tilewright
