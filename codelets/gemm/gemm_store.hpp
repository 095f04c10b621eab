// How do results reach C?
//
// Internal to codelets.
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Emits the functions that a kernel's stores call. To stand before the kernel.
void emit_store_functions(SourceText& out, const GemmFacts&);

// Emits the stores of the tile, each work-item's own part of it.
void emit_stores(SourceText& out, const GemmFacts&);

}  // namespace tilewright
