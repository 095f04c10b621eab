// Emits the multiply-adds of a k tile, and the accumulators.
//
// Internal to codelets.
#pragma once

#include "codelets/gemm/gemm_operand.hpp"

namespace tilewright {

// Emits the single-precision accumulators c0_0, c0_1 ..., initialised with zeros: one or more for
// each row of the tile.
void emit_accumulators(SourceText& out, const GemmFacts&);

// Emits the half-precision accumulators h0_0, h0_1 ... They are initialised with zeros if `zero` is
// set; otherwise the first products are assigned to them.
void emit_half_sums(SourceText& out, const GemmFacts&, bool zero);
// Emits the addition of the half-precision sums to the single-precision sums. With HalfSums::kEnd
// the single-precision sums are defined here.
void emit_sums_to_floats(SourceText& out, const GemmFacts&);

// Emits the loads of `steps` k steps and their multiply-adds. `step` is the first k step, counted
// from the start of the loop iteration. If `first` is set, the products of the first step are
// assigned to the accumulators instead of added.
void emit_k_tile(SourceText& out, const GemmFacts&, const OperandReader& a, const OperandReader& b,
                 int step, int steps, bool first = false);

// Emits the reduction of the partial sums of inner=partial to scalars s0_0 ...
void emit_fold(SourceText& out, const GemmFacts&);

}  // namespace tilewright
