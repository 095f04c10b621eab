// Tests of parameters that searches try late, with artificial costs.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "modelled_device.hpp"
#include "tuner/search/search.hpp"

namespace tilewright {
namespace {

constexpr SpaceLimits kSmallCpu{
    {4096, {4096, 4096}, 1 << 20, false, false}, 16, 512, std::numeric_limits<std::int64_t>::max()};

// A cost with one minimum, which is lower with one of the build options.
double made_up_cost(const GemmPoint& p) {
  const auto apart = [](int a, int b) { return std::abs(std::log2(static_cast<double>(a) / b)); };
  return apart(p.tile_m, 8) + apart(p.tile_n, 48) + apart(p.vector_width, 16) +
         (p.math == Math::kMad ? 0.0 : 0.05);
}

TEST_CASE("build options are tried on good points, and are found if they help") {
  constexpr int kDrawn = 12;
  constexpr int kTried = 400;
  const Space space(gemm_point(Op::kNN), kSmallCpu);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto search = make_strategy(
        space, {.kind = StrategyKind::kGreedy, .device = modelled_device(16, 1), .seed = seed});
    double least = std::numeric_limits<double>::infinity();
    Math best = Math::kExact;
    int late = 0;
    for (int i = 0; i < kTried; ++i) {
      const ParameterPoint point = *search->next();
      const auto& gemm = std::get<GemmPoint>(point);
      const double cost = made_up_cost(gemm);
      search->report(point, cost);
      if (cost < least) {
        least = cost;
        best = gemm.math;
      }
      if (gemm.math == Math::kExact && gemm.group_size == GroupSize::kRequired) continue;
      ++late;
      CHECK(i >= kDrawn);
    }
    INFO(late << " of " << kTried);
    CHECK(best == Math::kMad);
    CHECK(late > 0);
  }
}

}  // namespace
}  // namespace tilewright
