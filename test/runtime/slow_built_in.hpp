// Makes a library prefer the kernels of a profile that a test has written by hand.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "profiles/built_in.hpp"
#include "profiles/profile.hpp"
#include "runtime/device/device_identity.hpp"
#include "test_device.hpp"

namespace tilewright {

// Adds the built-in product and pack kernels of the device to the profile, with results that say
// that they are slow. A profile replaces the plan that runs without it only if it contains the
// times of that plan's kernels (rank_plans). The profile's own pack kernels become fast ones,
// and all times reach products of every size.
inline void add_slow_built_in(Profile& profile, const TestDevice& d) {
  // Times of small products are not trusted for far larger ones.
  constexpr std::int64_t kLarge = 1024;
  const std::vector<ShapeResult> measured_small = profile.results;
  for (ShapeResult result : measured_small) {
    const double work = static_cast<double>(result.m * result.n * result.k);
    const double ratio = std::pow(kLarge, 3) / work;
    if (ratio <= 1.0) continue;
    result.m = result.n = result.k = kLarge;
    result.median_ns *= ratio;
    result.low_ns *= ratio;
    result.high_ns *= ratio;
    profile.results.push_back(result);
  }
  constexpr double kMultiplyAddNs = 5e5;
  constexpr double kPackedElementNs = 1e6;
  for (const KernelRecord& kernel : profile.kernels) {
    const bool measured =
        std::any_of(profile.pack_results.begin(), profile.pack_results.end(),
                    [&](const PackResult& result) { return result.kernel == kernel.name; });
    if (kernel.role == Role::kPack && !measured) profile.pack_results.push_back({kernel.name, 1.0});
  }
  Profile built_in = built_in_profile(device_info(d.device));
  for (KernelRecord& kernel : built_in.kernels) {
    const bool present =
        std::any_of(profile.kernels.begin(), profile.kernels.end(),
                    [&](const KernelRecord& own) { return own.name == kernel.name; });
    const bool packs = kernel.role == Role::kPack;
    if (!(packs || is_product(kernel.role)) || present) continue;
    kernel.classes.clear();
    kernel.built_in = true;
    if (packs) {
      profile.pack_results.push_back({kernel.name, kPackedElementNs});
    } else {
      const Op op = op_from_layouts(kernel.layout_a, *kernel.layout_b);
      for (const std::int64_t extent : {std::int64_t{1}, kLarge}) {
        const double multiply_adds = std::pow(extent, 3);
        const double ns = kMultiplyAddNs * multiply_adds;
        profile.results.push_back({op, extent, extent, extent, kernel.name, ns, ns, ns, 9, 0.1});
      }
    }
    profile.kernels.push_back(std::move(kernel));
  }
}

// True if the device's built-in profile contains a kernel of this name.
inline bool is_built_in(const TestDevice& d, const std::string& name) {
  return find_kernel(built_in_profile(device_info(d.device)), name) != nullptr;
}

}  // namespace tilewright
