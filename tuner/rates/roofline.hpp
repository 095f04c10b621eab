// What could a device reach on a product at best?
#pragma once

#include "profiles/profile.hpp"
#include "runtime/call/gemm_problem.hpp"

namespace tilewright {

// The lesser of the measured peak (peak_of) and what the memory allows, in GFLOPS: A and B
// are read once and C is written once, at the rate of a copy. 0 if the peak is not known; the peak
// if only the rate of a copy is not. A kernel can pass it where operands stay in caches.
double roofline_gflops(const DeviceRates& rates, const GemmShape& shape,
                       Precision precision = Precision::kSingle);

}  // namespace tilewright
