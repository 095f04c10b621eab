// Emits the code of a gemv kernel that follows its loop: sums and stores.
//
// Internal to codelets.
#pragma once

#include "codelets/point/gemv_point.hpp"
#include "codelets/text/source_text.hpp"

namespace tilewright {

// Emits the function that stores one element. Must precede the kernel.
void write_gemv_store_function(SourceText&, const GemvPoint&);

// Emits everything after the loops. The accumulators c0_0 ... (vector of x, line of y) are reduced
// to scalars, added up over the work-items that share k, and stored. `part` is the work-item's
// number among those that share k; `sums` is the local memory.
void write_gemv_stores(SourceText&, const GemvPoint&);

}  // namespace tilewright
