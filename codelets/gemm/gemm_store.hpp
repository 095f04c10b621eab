// Emits the stores of the results to C.
//
// Internal to codelets.
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Emits the functions that the stores call. Must precede the kernel.
void emit_store_functions(SourceText& out, const GemmFacts&);

// Emits the stores of the elements of the tile that belong to the work-item.
void emit_stores(SourceText& out, const GemmFacts&);

}  // namespace tilewright
