// How much of a product may be launched at once?
//
// Long dispatches kill boards: a watchdog resets the GPU, or the machine. So nothing is launched
// that is predicted to take longer than a limit; predicted from a rate on less work, which as a
// rule is worse than that on more. Pure.
#pragma once

#include "profiles/kernel_record.hpp"
#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// Screening shapes are those that a good kernel is through with in so short a time; with them may
// come one that takes long: of such launches, only what is promising is measured, and once.
inline constexpr double kShortLaunch_s = 0.02;
inline constexpr double kLongLaunch_s = 4 * kShortLaunch_s;

// What a launch of so many flops taught of a kernel.
struct LearnedRate {
  double ns_per_flop = 0.0;
  double flops = 0.0;  // 0: nothing is known
};

// Elements of C that come and go together: parts of a product are whole multiples.
struct GroupTile {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};
GroupTile group_tile(const KernelRecord& record);

struct DispatchStep {
  enum class Kind {
    kLearn,    // launch this part, and ask again with the rate that it has
    kMeasure,  // the whole, or as many of its rows as stay within the limit
    kTooSlow,  // not even one row of work-groups would stay within it
  };
  Kind kind = Kind::kLearn;
  GemmShape part;
  double expected_ns = 0.0;  // of this launch; 0: unknown. kTooSlow: of one row of work-groups
};

// The next launch on the way to measuring `whole`. Ends: each kLearn has more flops than the one
// before it.
DispatchStep next_step(const GemmShape& whole, const GroupTile& tile, const LearnedRate& rate,
                       double max_dispatch_ns);

}  // namespace tilewright
