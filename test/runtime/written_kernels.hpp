// Kernels for tests, written as simply as possible: one loop for each element, any layout.
//
// Unlike the kernels of the codelets, these follow the record literally, so that a test fails if
// the library passes them anything that differs from the record.
#pragma once

#include "profiles/kernel_record.hpp"

namespace tilewright {

// The record with an entry and a source that implement it. Its name must be an identifier.
//
// A product kernel loops over k up to the next multiple if both operands are padded, and stores NaN
// if an offset or leading dimension is not aligned.
KernelRecord with_source(KernelRecord record);

// A kernel without source: work-group 4 x 2, tile 1 x 1 (for packing to an image: one pixel).
KernelRecord written_gemm(const std::string& name, const char* a, const char* b, const char* c);
KernelRecord written_pack(const std::string& name, const char* from, const char* to,
                          bool to_image = false);
KernelRecord written_reduce(const std::string& name);

}  // namespace tilewright
