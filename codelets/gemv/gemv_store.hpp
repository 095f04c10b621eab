// How do the sums of a gemv kernel get to C?
//
// Internal to codelets.
#pragma once

#include "codelets/point/gemv_point.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// The function that stores one element, before the kernel.
void write_gemv_store_function(SourceText&, const GemvPoint&);

// What follows the loops: accumulators c0_0 ... (vector of x, line of y) are folded, added up over
// the work-items that share k (`part` is this one's number among them, `sums` the local memory),
// and stored.
void write_gemv_stores(SourceText&, const GemvPoint&);

}  // namespace tilewright
