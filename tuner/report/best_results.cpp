#include "tuner/report/best_results.hpp"

#include <map>
#include <tuple>

#include "runtime/call/epilogue.hpp"

namespace tilewright {

std::vector<const ShapeResult*> best_results(const Profile& profile) {
  std::map<std::tuple<Op, double, std::int64_t, std::int64_t>, const ShapeResult*> best;
  const Precision precision = measured_precision(profile);
  for (const ShapeResult& result : profile.results) {
    const KernelRecord* kernel = find_kernel(profile, result.kernel);
    if (kernel != nullptr && (kernel->precision != precision || !implements_epilogue(*kernel, {})))
      continue;
    const double multiply_adds = static_cast<double>(result.m) * static_cast<double>(result.n) *
                                 static_cast<double>(result.k);
    const ShapeResult*& place = best[{result.op, multiply_adds, result.m, result.n}];
    if (place == nullptr || result.gflops > place->gflops) place = &result;
  }
  std::vector<const ShapeResult*> all;
  for (const auto& [problem, result] : best) all.push_back(result);
  return all;
}

}  // namespace tilewright
