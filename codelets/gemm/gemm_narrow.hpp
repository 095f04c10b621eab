// Emits the code path for products that have fewer rows or columns than a vector.
//
// Internal to codelets.
#pragma once

#include "codelets/gemm/gemm_facts.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Condition that is true for such products. Valid only if GemmFacts::may_be_narrow().
std::string narrow_condition(const GemmFacts&);

// Emits the function that extracts an element of an image's pixel. Must precede the kernel.
void emit_pixel_lane(SourceText& out);

// Emits plain loops for such products and the return after them.
void emit_narrow(SourceText& out, const GemmFacts&);

}  // namespace tilewright
