#include "runtime/plan/objective_factors.hpp"

#include <cmath>
#include <string_view>
#include <utility>

namespace tilewright {
namespace {

double power(const ShapeResult& result) {
  return result.joules / result.median_ns;
}

}  // namespace

ObjectiveFactors::ObjectiveFactors(const Profile& profile) {
  const Objective objective = profile.provenance.objective;
  if (objective == Objective::kTime) return;
  std::map<std::string_view, Precision> precisions;
  for (const KernelRecord& kernel : profile.kernels) {
    precisions.emplace(kernel.name, kernel.precision);
  }
  const auto place = [&](const ShapeResult& result) {
    return std::pair(precisions[result.kernel], Extents(result.m, result.n, result.k));
  };
  std::map<std::pair<Precision, Extents>, const ShapeResult*> fastest;
  for (const ShapeResult& result : profile.results) {
    if (result.joules == 0.0) continue;
    const auto [known, is_first] = fastest.try_emplace(place(result), &result);
    if (!is_first && result.median_ns < known->second->median_ns) known->second = &result;
  }
  for (const ShapeResult& result : profile.results) {
    if (result.joules == 0.0) continue;
    const auto at = place(result);
    measured_.insert(at);
    const double ratio = power(result) / power(*fastest.at(at));
    kernels_[result.kernel].factors.emplace(
        at.second, objective == Objective::kEnergy ? ratio : std::sqrt(ratio));
  }
  for (auto& [name, kernel] : kernels_) {
    double sum = 0.0;  // sum of logarithms
    for (const auto& [extents, factor] : kernel.factors) sum += std::log(factor);
    kernel.mean = std::exp(sum / static_cast<double>(kernel.factors.size()));
  }
}

double ObjectiveFactors::factor(const KernelRecord& kernel, const GemmShape& shape) const {
  if (kernels_.empty()) return 1.0;
  const Extents extents(shape.m, shape.n, shape.k);
  const auto own = kernels_.find(kernel.name);
  if (own != kernels_.end()) {
    const auto found = own->second.factors.find(extents);
    if (found != own->second.factors.end()) return found->second;
  }
  if (own == kernels_.end() || measured_.contains({kernel.precision, extents})) return 1.0;
  return own->second.mean;
}

}  // namespace tilewright
