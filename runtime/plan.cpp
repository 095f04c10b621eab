#include "runtime/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "runtime/executor.hpp"

namespace tilewright {
namespace {

bool fits(const KernelRecord& record, const DeviceLimits& limits) {
  return record.work_group[0] * record.work_group[1] <= limits.max_work_group_size &&
         record.work_group[0] <= limits.max_work_item_sizes[0] &&
         record.work_group[1] <= limits.max_work_item_sizes[1];
}

bool divides(const Tile& multiples, const GemmShape& shape) {
  return shape.m % multiples.m == 0 && shape.n % multiples.n == 0 && shape.k % multiples.k == 0;
}

double log_distance(const ShapeResult& result, const GemmShape& shape) {
  const auto apart = [](std::int64_t a, std::int64_t b) {
    return std::log2(static_cast<double>(std::max<std::int64_t>(a, 1)) /
                     static_cast<double>(std::max<std::int64_t>(b, 1)));
  };
  return std::hypot(apart(result.m, shape.m), apart(result.n, shape.n), apart(result.k, shape.k));
}

// Multiply-adds that the launch does, those of the tiles past the edge included.
double launched_work(const KernelRecord& record, std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto global = global_size(record, m, n);
  return static_cast<double>(global[0]) * static_cast<double>(global[1]) * record.tile.m *
         record.tile.n * static_cast<double>(std::max<std::int64_t>(k, 1));
}

// The way in which the kernel can serve op, if there is one.
std::optional<GemmPlan> way_of(const KernelRecord& record, Op op) {
  if (record.role != Role::kGemm || !record.layout_b || record.layout_c != Layout::kR)
    return std::nullopt;
  GemmPlan plan;
  plan.kernel = &record;
  const auto served = [](Layout wanted, Layout offered, bool& pack) {
    pack = offered == Layout::kC && wanted == Layout::kR;
    return pack || offered == wanted;
  };
  if (!served(record.layout_a, layout_a_of(op), plan.pack_a)) return std::nullopt;
  if (!served(*record.layout_b, layout_b_of(op), plan.pack_b)) return std::nullopt;
  return plan;
}

double packed_elements(const GemmPlan& plan, const GemmShape& shape) {
  return (plan.pack_a ? static_cast<double>(shape.m) * static_cast<double>(shape.k) : 0.0) +
         (plan.pack_b ? static_cast<double>(shape.k) * static_cast<double>(shape.n) : 0.0);
}

}  // namespace

std::optional<double> predict_ns(const Profile& profile, const KernelRecord& kernel, Op op,
                                 const GemmShape& shape) {
  const ShapeResult* nearest = nullptr;
  double least = 0.0;
  for (const ShapeResult& result : profile.results) {
    if (result.op != op || result.kernel != kernel.name) continue;
    const double distance = log_distance(result, shape);
    if (nearest == nullptr || distance < least) {
      nearest = &result;
      least = distance;
    }
  }
  if (nearest == nullptr) return std::nullopt;
  return nearest->median_ns * launched_work(kernel, shape.m, shape.n, shape.k) /
         launched_work(kernel, nearest->m, nearest->n, nearest->k);
}

std::vector<GemmPlan> rank_plans(const std::vector<const Profile*>& profiles,
                                 const DeviceLimits& limits, Op op, const GemmShape& shape) {
  std::vector<GemmPlan> plans;
  for (const Profile* profile : profiles) {
    for (const KernelRecord& record : profile->kernels) {
      std::optional<GemmPlan> plan = way_of(record, op);
      if (!plan || !fits(record, limits) || !divides(record.multiples, shape)) continue;
      plan->predicted_ns =
          predict_ns(*profile, record, op_of(record.layout_a, *record.layout_b), shape);
      plan->profile = profile;
      plans.push_back(std::move(*plan));
    }
  }
  std::stable_sort(plans.begin(), plans.end(), [&](const GemmPlan& a, const GemmPlan& b) {
    const auto key = [&](const GemmPlan& plan) {
      return std::tuple(!plan.predicted_ns, packed_elements(plan, shape), plan.predicted_ns);
    };
    return key(a) < key(b);
  });
  return plans;
}

std::string reason_of(const GemmPlan& plan) {
  std::string reason =
      plan.predicted_ns ? fmt::format("predicted {:.3g} us", *plan.predicted_ns / 1e3)
      : plan.profile->kind == ProfileKind::kGeneric ? "built-in kernel, never measured"
                                                    : "no measured result for this op";
  if (plan.pack_a) reason += ", A is transposed first";
  if (plan.pack_b) reason += ", B is transposed first";
  return reason;
}

std::vector<const KernelRecord*> pack_kernels(const std::vector<const Profile*>& profiles,
                                              const DeviceLimits& limits) {
  std::vector<const KernelRecord*> kernels;
  for (const Profile* profile : profiles) {
    for (const KernelRecord& record : profile->kernels) {
      const bool transposes = record.role == Role::kPack && record.layout_a == Layout::kC &&
                              record.layout_c == Layout::kR && record.multiples == Tile{};
      if (transposes && fits(record, limits)) kernels.push_back(&record);
    }
  }
  return kernels;
}

}  // namespace tilewright
