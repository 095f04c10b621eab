// What do drivers get wrong, or do slowly, and what do kernels do about it?
//
// Who emits, or expects something of, a kernel names its quirk here instead of telling its story. A
// quirk goes when no driver that we serve has it any more.
//
// The constants below are limits that a remedy depends on. The remedies of these are in every
// kernel, since they do no harm elsewhere:
// - kBarrierUnderCondition: PoCL 3.1 (CPUs). Runs what follows a barrier under a condition
//   twice for some work-items, also where the condition is the same for all. Barriers stand
//   outside of conditions. Where there are barriers to come, no work-item returns.
// - kLoopWithBarriers: PoCL 3.1 (CPUs). Runs twice what precedes a loop with barriers. A
//   barrier ends what must run once.
// - kConditionOfEachItem: PoCL 3.1 (CPUs). Asks a condition for each work-item, unless it is
//   one of the whole group: that it takes out of its loop over them. Packs ask first whether
//   the group's tile is whole: 4 x 4 tiles move 5 to 13 % faster (5760 and 1000 square).
// - kCountedLoop: Mesa 25.0.7 (Mali Midgard). Unrolls a loop whose turns it can count, keeps
//   the operands of all turns at a time, and spills five times as much (docs/mali.md). Loops
//   end at a place that is not a constant; unroll_k says what is unrolled.
// - kWideDivision: Mesa 25.0.7 (Mali Midgard). Has no division of more than 32 bits. Elements
//   are counted and divided in 32 bits: no more work-items than 31 bits count are needed.
// - kBranchBehindSums: Mesa 25.0.7 (Mali Midgard). Spills the sums where the loops for narrow
//   products stand behind the k loop. These loops come first, when nothing else is in
//   registers.
// - kAddressOfEachLine: Mesa 25.0.7 (Mali Midgard). Has 16 registers, and spills for an
//   address for each line of C and a count for each vector. One pointer goes from line to
//   line, where the tile is whole vectors in lines that follow each other.
#pragma once

namespace tilewright::quirks {

// PoCL 3.1 (CPUs) runs the work-items of a group one after the other from barrier to barrier, and
// keeps their sums in memory in between: a barrier every 128 k steps makes a kernel take 1.3 times
// as long, every 32 steps 5 times. So points with barriers are expected to be slow: instructions
// that one barrier costs a work-item.
inline constexpr double kSumsInMemory = 1000.0;

// PoCL 3.1 (CPUs) needs long to compile long loop bodies: 0.2 s up to this number of multiply-adds,
// 1.2 s and more for 1024. So points with longer bodies are tried later.
inline constexpr double kLongLoopBody = 128.0;

// PoCL 3.1 (CPUs) copies the function that stores part of a vector to every call. For wide vectors,
// which are for CPUs, the copies are most of the kernel and of its compile time. So the function is
// not inlined from this number of elements per vector on. On GPUs, where a call costs registers,
// the copies are short.
inline constexpr double kCopiesOfStores = 8.0;

}  // namespace tilewright::quirks
