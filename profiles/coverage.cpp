#include "profiles/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilewright {
namespace {

struct Extents {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};

// The least extents of the results of kernels that read both operands of the op in place.
std::optional<Extents> min_extents(
    const Profile& profile, Op op,
    const std::unordered_map<std::string_view, const KernelRecord*>& kernels) {
  std::optional<Extents> least;
  for (const ShapeResult& result : profile.results) {
    const auto found = kernels.find(result.kernel);
    if (found == kernels.end() || !found->second->layout_b) continue;
    const KernelRecord& kernel = *found->second;
    const bool in_place = kernel.layout_a.is_plain() && kernel.layout_b->is_plain();
    if (!in_place || op_from_layouts(kernel.layout_a, *kernel.layout_b) != op) continue;
    if (!least) least = Extents{result.m, result.n, result.k};
    least = Extents{std::min(least->m, result.m), std::min(least->n, result.n),
                    std::min(least->k, result.k)};
  }
  return least;
}

// "NN with an extent below 64", "NN with m below 4, k below 16"; "": all are reached.
std::string small_text(Op op, const Extents& least) {
  const auto bound = [](std::int64_t extent) { return (extent + kReach - 1) / kReach; };
  const Extents bounds{bound(least.m), bound(least.n), bound(least.k)};
  if (bounds.m == bounds.n && bounds.n == bounds.k) {
    return bounds.m > 1 ? fmt::format("{} with an extent below {}", to_text(op), bounds.m) : "";
  }
  std::vector<std::string> small;
  if (bounds.m > 1) small.push_back(fmt::format("m below {}", bounds.m));
  if (bounds.n > 1) small.push_back(fmt::format("n below {}", bounds.n));
  constexpr std::int64_t kLaunchOnly =
      4;  // with so small a k a product is a launch and little else
  if (bounds.k > kLaunchOnly) small.push_back(fmt::format("k below {}", bounds.k));
  if (small.empty()) return "";
  return fmt::format("{} with {}", to_text(op), fmt::join(small, ", "));
}

}  // namespace

bool has_baseline(const Profile& profile) {
  return !profile.failing_built_in.empty() || !profile.changed_built_in.empty() ||
         std::any_of(profile.kernels.begin(), profile.kernels.end(),
                     [](const auto& kernel) { return kernel.built_in && is_product(kernel.role); });
}

std::string uncovered_text(const Profile& profile) {
  if (profile.kind != ProfileKind::kTuned) return "";
  std::unordered_map<std::string_view, const KernelRecord*> kernels;
  for (const KernelRecord& kernel : profile.kernels) kernels.emplace(kernel.name, &kernel);
  std::vector<std::string_view> ops;
  std::vector<std::string> parts;
  for (const Op op : {Op::kNN, Op::kNT, Op::kTN}) {
    const std::optional<Extents> least = min_extents(profile, op, kernels);
    if (!least) {
      ops.push_back(to_text(op));
    } else if (std::string small = small_text(op, *least); !small.empty()) {
      parts.push_back(std::move(small));
    }
  }
  if (!ops.empty()) parts.insert(parts.begin(), fmt::format("{}", fmt::join(ops, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace tilewright
