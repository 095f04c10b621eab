// The times of the steps before and after the product.
#include <algorithm>
#include <cmath>

#include "runtime/plan/plan_times.hpp"

namespace tilewright {

std::optional<AuxiliaryRate> MeasuredTimes::auxiliary_rate(const KernelRecord& pack,
                                                           double elements) const {
  const auto measured = auxiliary_results_.find(&pack);
  if (measured == auxiliary_results_.end()) return std::nullopt;
  std::optional<AuxiliaryRate> nearest;
  for (const PackResult& result : measured->second) {
    const double extent = result.extent;
    const AuxiliaryRate rate{std::fabs(std::log(elements / (extent * extent))),
                             result.ns_per_element};
    if (!nearest || rate < *nearest) nearest = rate;
  }
  return nearest;
}

std::optional<double> MeasuredTimes::ns_per_element(const KernelRecord& pack) const {
  const auto rate = auxiliary_rate(pack, double{kMovedExtent} * kMovedExtent);
  return rate ? std::optional(rate->ns_per_element) : std::nullopt;
}

double MeasuredTimes::pack_ns(const KernelRecord& pack, const PackProblem& problem) const {
  const double elements = written_elements(problem);
  const auto rate = auxiliary_rate(pack, elements);
  return elements *
         (rate ? rate->ns_per_element
               : 2.0 * static_cast<double>(bytes_per_element(pack.precision)) * ns_per_byte_);
}

double MeasuredTimes::layer_ns(const KernelRecord& kernel, std::int64_t m, std::int64_t n) const {
  return pack_ns(kernel, {m, n, m, n, {}, {}});
}

double MeasuredTimes::reduce_ns(const Storage& stored, const PartialProducts& parts,
                                const GemmProblem& problem) const {
  const double c =
      static_cast<double>(problem.shape.m - parts.first_row) * static_cast<double>(problem.shape.n);
  const auto bytes = [](double elements, Precision precision) {
    return elements * static_cast<double>(bytes_per_element(precision));
  };
  return ns_per_byte_ * (bytes(static_cast<double>(stored.elements), stored.precision) +
                         bytes(problem.beta == 0.0 ? c : 2.0 * c, problem.precision));
}

}  // namespace tilewright
