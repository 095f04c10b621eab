// How do work-items that share the k of a tile add up their sums?
//
// Internal to codelets. Only where work_group_k > 1.
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Emits the array in local memory that they meet in. To stand at the kernel's beginning.
void declare_shared_sums(SourceText& out, const GemmFacts&);

// Emits the sums of all shares of k: share 0 then has them in its accumulators. To be met by all
// work-items.
void emit_sum_of_shares(SourceText& out, const GemmFacts&);

}  // namespace tilewright
