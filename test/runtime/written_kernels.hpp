// Kernels for tests, written as simply as can be: one loop for each element, any layout.
//
// They are not the codelets' kernels: these follow the record word by word, so that a test fails
// where the library brings them something else than the record says.
#pragma once

#include "profiles/kernel_record.hpp"

namespace tilewright {

// The record with an entry and a source that do what it says. Its name must be an identifier.
//
// A product: goes through k up to the next multiple where both operands are padded; stores NaN
// where an offset or leading dimension is not aligned.
KernelRecord with_source(KernelRecord record);

// A kernel without source: work-group 4 x 2, tile 1 x 1 (pack to an image: one pixel).
KernelRecord written_gemm(const std::string& name, const char* a, const char* b, const char* c);
KernelRecord written_pack(const std::string& name, const char* from, const char* to,
                          bool to_image = false);
KernelRecord written_reduce(const std::string& name);

}  // namespace tilewright
