#include "runtime/plan/objective_factors.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace tilewright {
namespace {

double power(const ShapeResult& result) {
  return result.joules / result.median_ns;
}

bool is_better_reference(const KernelRecord& a, const ShapeResult& of_a, const KernelRecord& b,
                         const ShapeResult& of_b) {
  return std::tuple(!a.built_in, of_a.median_ns) < std::tuple(!b.built_in, of_b.median_ns);
}

}  // namespace

ObjectiveFactors::ObjectiveFactors(const Profile& profile) {
  constexpr double kMaxTimeRatio = 1.25;  // of kernels that are about equally fast
  const Objective objective = profile.provenance.objective;
  if (objective == Objective::kTime) return;
  std::map<std::string_view, const KernelRecord*> kernels;
  for (const KernelRecord& kernel : profile.kernels) kernels.emplace(kernel.name, &kernel);
  struct Measured {
    const KernelRecord* kernel;
    const ShapeResult* result;
  };
  std::map<Place, std::vector<Measured>> measured;
  for (const ShapeResult& result : profile.results) {
    const auto kernel = kernels.find(result.kernel);
    if (result.joules == 0.0 || kernel == kernels.end()) continue;
    const Place place{kernel->second->precision, {result.m, result.n, result.k}};
    measured[place].push_back({kernel->second, &result});
  }
  std::map<std::string_view, std::vector<double>> comparable;  // logarithms of factors
  for (const auto& [place, all] : measured) {
    const auto reference =
        std::min_element(all.begin(), all.end(), [](const Measured& a, const Measured& b) {
          return is_better_reference(*a.kernel, *a.result, *b.kernel, *b.result);
        });
    double& largest = largest_[place];
    for (const auto& [kernel, result] : all) {
      const double ratio = power(*result) / power(*reference->result);
      const double factor = objective == Objective::kEnergy ? ratio : std::sqrt(ratio);
      kernels_[kernel->name].factors.emplace(place.second, factor);
      largest = std::max(largest, factor);
      const double times = result->median_ns / reference->result->median_ns;
      if (std::max(times, 1.0 / times) > kMaxTimeRatio) continue;
      comparable[kernel->name].push_back(std::log(factor));
    }
  }
  for (const auto& [name, logarithms] : comparable) {
    double sum = 0.0;
    for (const double logarithm : logarithms) sum += logarithm;
    kernels_.find(name)->second.mean = std::exp(sum / static_cast<double>(logarithms.size()));
  }
}

ObjectiveFactor ObjectiveFactors::factor(const KernelRecord& kernel, const GemmShape& shape) const {
  if (kernels_.empty()) return {};
  const Extents extents(shape.m, shape.n, shape.k);
  const auto own = kernels_.find(kernel.name);
  if (own != kernels_.end()) {
    const auto found = own->second.factors.find(extents);
    if (found != own->second.factors.end()) return {found->second, true};
  }
  const auto largest = largest_.find({kernel.precision, extents});
  if (largest != largest_.end()) return {largest->second, false};
  return {own == kernels_.end() ? 1.0 : own->second.mean, false};
}

}  // namespace tilewright
