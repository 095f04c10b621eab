#include "profiles/coverage.hpp"

#include <algorithm>

namespace tilewright {

bool has_baseline(const Profile& profile) {
  return !profile.failing_built_in.empty() || !profile.changed_built_in.empty() ||
         std::any_of(profile.kernels.begin(), profile.kernels.end(),
                     [](const auto& kernel) { return kernel.built_in && is_product(kernel.role); });
}

}  // namespace tilewright
