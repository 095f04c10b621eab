// How do results reach C?
//
// Internal to codelets. The functions that an emitted kernel calls to store a vector of results.
#pragma once

#include "source_text.hpp"

namespace tilewright {

// Emits store1(), store2() ... store{width}() and, for width > 1, store_last{width}().
void emit_store_functions(SourceText&, int width);

}  // namespace tilewright
