// Which elements of C does a work-item compute?
//
// Internal to codelets.
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Do work-groups walk over C as their ids do?
bool in_order_of_ids(const GemmPoint&);

// Emits `row` and `col`, the first elements of the work-item's tile; where local memory is used
// also `item` (the work-item's number in its work-group), `group_row`, `group_col` (the
// work-group's first elements), `in_row` and `in_col` (the tile's place in the work-group's).
void emit_place(SourceText& out, const GemmFacts&);

// Emits the edge whole_m or whole_n, if there is one, and the starts of the tile's groups: i0, i1
// ... and j0, j1 ...
void emit_starts(SourceText& out, const Axis&);

}  // namespace tilewright
