// How are the multiply-adds of a k tile arranged?
//
// Internal to codelets.
#pragma once

#include "codelets/gemm/gemm_operand.hpp"

namespace tilewright {

// Emits the accumulators of floats, one or more for each row of the tile: c0_0, c0_1 ..., as zeros.
void emit_accumulators(SourceText& out, const GemmFacts&);

// Emits those of halfs: h0_0, h0_1 ... `zero`: else the first products are to be put there.
void emit_half_sums(SourceText& out, const GemmFacts&, bool zero);
// Emits that they are added to those of floats; at the end (HalfSums::kEnd): that they become them.
void emit_sums_to_floats(SourceText& out, const GemmFacts&);

// Emits the loads of `steps` k steps and their multiply-adds. `step`: of the first, from the start
// of the turn. `first`: products of the first step are put where others are added to them.
void emit_k_tile(SourceText& out, const GemmFacts&, const OperandReader& a, const OperandReader& b,
                 int step, int steps, bool first = false);

// Emits the end of inner=partial: partial sums become one, s0_0 ...
void emit_fold(SourceText& out, const GemmFacts&);

}  // namespace tilewright
