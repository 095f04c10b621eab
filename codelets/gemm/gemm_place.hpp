// Emits the computation of which elements of C belong to a work-item.
//
// Internal to codelets.
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// True if work-groups traverse C in the order of their ids.
bool in_order_of_ids(const GemmPoint&);

// Emits `row` and `col`, the first elements of the work-item's tile. With GemmFacts::local it also
// emits `item` (the work-item's number in its work-group), `group_row` and `group_col` (the first
// elements of the work-group), and `in_row` and `in_col` (the position of the tile in the
// work-group's part of C). Other kernels have these only if they need them for `row` and `col`.
void emit_place(SourceText& out, const GemmFacts&);

// Emits the edge (whole_m or whole_n) if it is needed, and the starts of the tile's groups, i0, i1
// ... or j0, j1 ...
void emit_starts(SourceText& out, const Axis&);

}  // namespace tilewright
