// What do drivers get wrong, or do slowly, and what do kernels do about it?
//
// Who emits, or expects something of, a kernel names its quirk here instead of telling its story. A
// quirk goes when no driver that we serve has it any more.
//
// In the table below are those that are asked: their remedy goes by a number. The remedies of these
// are in every kernel, since they do no harm elsewhere:
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

#include <string_view>

namespace tilewright {

struct Quirk {
  std::string_view name;    // of the constant
  std::string_view driver;  // with the version that it was seen in
  std::string_view fault;   // what it gets wrong, or does slowly
  std::string_view remedy;  // what we do therefore
  double figure;            // that the remedy goes by, in a unit that the remedy says
};

namespace quirks {

inline constexpr Quirk kSumsInMemory{
    "kSumsInMemory", "PoCL 3.1 (CPUs)",
    "Runs the work-items of a group one after the other from barrier to barrier, and keeps their "
    "sums in memory between: a barrier every 128 k steps makes a kernel take 1.3 times as long, "
    "every 32 steps 5 times.",
    "Points with barriers are expected to be slow: instructions that one barrier costs a "
    "work-item.",
    1000.0};

inline constexpr Quirk kLongLoopBody{
    "kLongLoopBody", "PoCL 3.1 (CPUs)",
    "Compiles long loop bodies for long: 0.2 s below the figure, 1.2 s and more with 1024 "
    "multiply-adds.",
    "Points with long bodies are tried later: multiply-adds of a body that is not yet long.",
    128.0};

inline constexpr Quirk kCopiesOfStores{
    "kCopiesOfStores", "PoCL 3.1 (CPUs)",
    "Copies the function that stores part of a vector to every call: for wide vectors, which are "
    "for CPUs, the copies are most of the kernel and of its compile time. On GPUs, where a call "
    "costs registers, they are short.",
    "The function is not inlined from so many floats a vector on.", 8.0};

}  // namespace quirks

inline constexpr Quirk kQuirks[] = {quirks::kSumsInMemory, quirks::kLongLoopBody,
                                    quirks::kCopiesOfStores};

}  // namespace tilewright
