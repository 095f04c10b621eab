// Runs one product with a kernel and compares all of C with the reference product.
#pragma once

#include "runtime/check/check_matrices.hpp"
#include "runtime/check/product_cases.hpp"

namespace tilewright {

// `kernel` has the role kGemm or kGemv. Its operands are prepared as its record requires: packed
// and padded on the host, as images, in its layouts, with offsets and gaps. `product` is the data
// of the case. Throws Error if there is not enough memory.
Verified check_product(const Executor& executor, const cl::CommandQueue& queue,
                       LoadedKernel& kernel, const ProductCase& test, const ProductData& product);

}  // namespace tilewright
