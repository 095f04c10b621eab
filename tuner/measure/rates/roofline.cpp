#include "tuner/measure/rates/roofline.hpp"

#include <algorithm>

#include "tuner/journal/records/shapes.hpp"

namespace tilewright {

double roofline_gflops(const DeviceRates& rates, const GemmShape& shape, Precision precision) {
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double bytes = static_cast<double>(bytes_per_element(precision)) * (m * k + k * n + m * n);
  const double peak = product_peak(rates, precision);
  if (rates.copy_gbytes_per_s <= 0.0 || bytes <= 0.0) return peak;
  return std::min(peak, flops(shape) / bytes * rates.copy_gbytes_per_s);
}

}  // namespace tilewright
