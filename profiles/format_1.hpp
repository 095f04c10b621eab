// What do profiles of format 1 leave unsaid?
#pragma once

#include "profiles/kernel_record.hpp"

namespace tilewright {

// Sets what plans predict times from. In format 1 it stands nowhere but in the text of the point:
// this is the only place that reads that text, once, when a profile is loaded.
void derive_prediction(KernelRecord&);

}  // namespace tilewright
