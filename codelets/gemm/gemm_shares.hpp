// Adds up the sums of work-items that share the k of a tile.
//
// Internal to codelets. Used only if work_group_k > 1.
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Emits the array in local memory through which sums are passed. Must be at the start of the
// kernel.
void declare_shared_sums(SourceText& out, const GemmFacts&);

// Emits the addition of the sums of all shares. Afterwards the accumulators of share 0 contain the
// result. All work-items of the group must execute this code.
void emit_sum_of_shares(SourceText& out, const GemmFacts&);

}  // namespace tilewright
