// Computes the roofline: an upper estimate of the speed of a product on a device.
#pragma once

#include "profiles/profile.hpp"
#include "runtime/call/gemm_shape.hpp"

namespace tilewright {

// Returns the smaller of the measured arithmetic peak (product_peak()) and the bound set by memory,
// in GFLOPS. The memory bound assumes that A and B are read once and C is written once at the rate
// of a copy. Returns 0 if the peak is not known, and the peak if only the copy rate is not known. A
// kernel can exceed this value if its operands stay in caches.
double roofline_gflops(const DeviceRates& rates, const GemmShape& shape,
                       Precision precision = Precision::kSingle);

}  // namespace tilewright
