// A large space and artificial costs of its points, for tests of searches.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "codelets/space/space.hpp"

namespace tilewright {

inline constexpr SpaceLimits kCpu{
    {4096, {4096, 4096}, 1 << 20, false, false}, 16, 512, std::numeric_limits<std::int64_t>::max()};

inline Space cpu_space() {
  return {gemm_point(Op::kNN), kCpu};
}

// A cost with one minimum, far from which points are slow. It also depends on parameters that the
// model does not consider.
inline double made_up_cost(const ParameterPoint& point) {
  const auto& p = std::get<GemmPoint>(point);
  const auto apart = [](int a, int b) { return std::abs(std::log2(static_cast<double>(a) / b)); };
  return apart(p.tile_m, 8) + apart(p.tile_n, 48) + apart(p.vector_width, 16) + apart(p.tile_k, 1) +
         0.3 * apart(p.work_group_m, 1) + 0.3 * apart(p.work_group_n, 2) +
         0.3 * apart(p.split_k, 1) + (p.inner == Inner::kOuter ? 0.0 : 1.0) +
         (p.multiply_add == MultiplyAdd::kFma ? 0.0 : 0.5) + (p.cache_block_k > 0 ? 1.0 : 0.0) +
         (p.local_a ? 0.5 : 0.0) + (p.local_b ? 0.5 : 0.0) +
         (p.addressing == Addressing::kIndices ? 0.0 : 0.1);
}

}  // namespace tilewright
