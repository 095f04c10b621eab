// How are the multiply-adds of a k tile arranged?
//
// Internal to codelets.
#pragma once

#include "codelets/gemm/gemm_operand.hpp"

namespace tilewright {

// Emits the accumulators, one or more for each row of the tile: c0_0, c0_1 ...
void emit_accumulators(SourceText& out, const GemmFacts&);

// Emits the loads of `steps` k steps and their multiply-adds. `step`: of the first, from the start
// of the turn.
void emit_k_tile(SourceText& out, const GemmFacts&, const GemmOperand& a, const GemmOperand& b,
                 int step, int steps);

// Emits the end of inner=partial: partial sums become one, s0_0 ...
void emit_fold(SourceText& out, const GemmFacts&);

}  // namespace tilewright
