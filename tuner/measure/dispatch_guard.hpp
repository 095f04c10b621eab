// Limits how much of a product is launched at once, so that no launch takes too long.
//
// On some boards a long launch makes a watchdog reset the GPU or the whole machine. The guard
// therefore launches nothing that is predicted to exceed a time limit. Predictions come from the
// rate of a smaller launch of the same kernel, which is usually lower than the rate of a larger
// one. These functions do not access a device.
#pragma once

#include "profiles/kernel_record.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// Rate of a kernel, learned from one launch.
struct LearnedRate {
  double ns_per_flop = 0.0;
  double flops = 0.0;  // size of that launch; 0 if there was none
};

// Rows and columns of C that a kernel can only compute together. Partial launches use whole
// multiples.
struct GroupTile {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};
// Returns the tile of one work-group, enlarged to multiples that the kernel's alignment and padding
// allow.
GroupTile group_tile(const KernelRecord& record);

// What to launch next.
struct DispatchStep {
  enum class Kind {
    kLearn,    // launch `part`, update the rate, and call next_step() again
    kMeasure,  // sample `part`: the whole problem, or as many rows as stay within the limit
    kTooSlow,  // even one row of work-groups would exceed the limit
  };
  Kind kind = Kind::kLearn;
  GemmShape part;
  // Predicted time of this launch (kTooSlow: of one row of work-groups); 0 if unknown
  double expected_ns = 0.0;
};

// Returns the next launch on the way to measuring `whole`. The sequence is finite, because each
// kLearn step has more flops than the one before. `max_dispatch_ns` is the time limit.
DispatchStep next_step(const GemmShape& whole, const GroupTile& tile, const LearnedRate& rate,
                       double max_dispatch_ns);

}  // namespace tilewright
