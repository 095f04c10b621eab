// Known driver quirks (defects and slow paths), and what kernels do to avoid them.
//
// Generators and cost models refer to a quirk by its name. A quirk is deleted when no supported
// driver has it any more.
//
// The constants below are thresholds that a workaround depends on. The workarounds for the
// following quirks are in every kernel, because they do no harm elsewhere:
// - kBarrierUnderCondition: PoCL 3.1 (CPUs). If a barrier is inside a condition, the code after it
//   runs twice for some work-items, even if the condition is uniform. Workaround: kernels place
//   barriers outside of conditions, and no work-item returns before the last barrier.
// - kLoopWithBarriers: PoCL 3.1 (CPUs). Code that precedes a loop with barriers runs twice.
//   Workaround: a barrier follows code that must run only once.
// - kConditionOfEachItem: PoCL 3.1 (CPUs). The compiler evaluates a condition for each work-item
//   unless it depends only on the work-group; it moves only such conditions out of its loop over
//   work-items. Workaround: pack kernels first test whether the whole tile of the work-group is
//   inside the matrix. With this, 4 x 4 tiles are copied 5 to 13 % faster (5760 and 1000 square).
// - kCountedLoop: Mesa 25.0.7 (Mali Midgard). The compiler unrolls a loop whose number of
//   iterations it knows, keeps the operands of all iterations in registers, and spills five times
//   as much (docs/mali.md). Workaround: the end of a loop is not a constant; unroll_k controls the
//   unrolling.
// - kWideDivision: Mesa 25.0.7 (Mali Midgard). Divisions of more than 32 bits are not supported.
//   Workaround: elements are counted and divided in 32 bits. No kernel needs more than 2^31 - 1
//   work-items.
// - kBranchAfterSums: Mesa 25.0.7 (Mali Midgard). The accumulators are spilled if the loops for
//   narrow products follow the k loop. Workaround: these loops come first, when no accumulators are
//   live.
// - kAddressOfEachLine: Mesa 25.0.7 (Mali Midgard). There are 16 registers; one address for each
//   line of C and one count for each vector do not fit and are spilled. Workaround: a single
//   pointer advances from line to line if the tile consists of whole vectors in consecutive lines.
#pragma once

namespace tilewright::quirks {

// Cost of one barrier, in instructions of a work-item. PoCL 3.1 (CPUs) runs the work-items of a
// group one after the other between two barriers and keeps their accumulators in memory meanwhile.
// A barrier every 128 k steps makes a kernel take 1.3 times as long, a barrier every 32 steps 5
// times as long.
inline constexpr double kSumsInMemory = 1000.0;

// Number of multiply-adds in a loop body up to which PoCL 3.1 (CPUs) compiles it in about 0.2 s.
// With 1024 it needs 1.2 s and more. Points with longer bodies are tried later.
inline constexpr double kLongLoopBody = 128.0;

// Number of elements per vector from which on the function that stores part of a vector is not
// inlined. PoCL 3.1 (CPUs) inlines it at every call. With wide vectors, which are used on CPUs, the
// copies would be most of the kernel and of its compile time. On GPUs the copies are short, and a
// call would cost registers.
inline constexpr double kCopiesOfStores = 8.0;

}  // namespace tilewright::quirks
