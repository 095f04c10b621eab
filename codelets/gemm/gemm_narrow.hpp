// What does a kernel do with a product that has fewer rows or columns than a vector?
//
// Internal to codelets.
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Text that is true for such products; only where GemmFacts::may_be_narrow().
std::string narrow_condition(const GemmFacts&);

// Emits the function that plain loops read an image's elements with. To stand before the kernel.
void emit_pixel_lane(SourceText& out);

// Emits plain loops for such products, and the return after them.
void emit_narrow(SourceText& out, const GemmFacts&);

}  // namespace tilewright
