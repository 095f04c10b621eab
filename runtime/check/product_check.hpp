// Runs one product with a kernel and compares all of its C with the host product.
#pragma once

#include "runtime/check/check_matrices.hpp"
#include "runtime/check/product_cases.hpp"

namespace tilewright {

// A kernel of role kGemm or kGemv, with its operands as its record describes them: packed and
// padded on the host, as images, in its own layouts, at offsets and with gaps. `product` is that of
// the case. Throws Error if there is no memory.
Verified check_product(const Executor& executor, const cl::CommandQueue& queue,
                       LoadedKernel& kernel, const ProductCase& test, const ProductData& product);

}  // namespace tilewright
