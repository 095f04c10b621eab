// Emits the stores of the results to C.
//
// Internal to codelets.
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Emits the stores of the elements of the tile that belong to the work-item. They call the
// functions that emit_store_functions() emits.
void emit_stores(SourceText& out, const GemmFacts&);

}  // namespace tilewright
