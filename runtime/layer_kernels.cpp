#include "runtime/layer_kernels.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tilewright {
namespace {

// The kernels of a role for matrices row by row that fit and `can`, in the order of their keys.
template <class Can, class Key>
std::vector<const KernelRecord*> rank(const std::vector<const Profile*>& profiles,
                                      const DeviceLimits& limits, Role role, const Can& can,
                                      const Key& key) {
  std::vector<const KernelRecord*> kernels;
  for (const Profile* profile : profiles) {
    for (const KernelRecord& record : profile->kernels) {
      const bool row_major = record.layout_a == Layout::R() && record.layout_c == Layout::R();
      if (record.role == role && row_major && fits(record, limits) && can(record)) {
        kernels.push_back(&record);
      }
    }
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [&](const auto* a, const auto* b) { return key(*a) < key(*b); });
  return kernels;
}

double pace(const MeasuredTimes& times, const KernelRecord& record) {
  return times.ns_per_element(record).value_or(std::numeric_limits<double>::infinity());
}

}  // namespace

bool fits(const KernelRecord& record, const DeviceLimits& limits) {
  const std::int64_t x = record.work_group[0];
  const std::int64_t y = record.work_group[1];
  return x * y <= limits.max_work_group_size / record.work_group_k &&
         x <= limits.max_work_item_sizes[0] && y <= limits.max_work_item_sizes[1] &&
         record.local_bytes <= limits.local_memory_bytes &&
         (record.images == Images{} || limits.image_support);
}

std::vector<const KernelRecord*> rank_activations(const std::vector<const Profile*>& profiles,
                                                  const MeasuredTimes& times,
                                                  const DeviceLimits& limits, const Demand& demand,
                                                  bool gaps) {
  if (demand.empty()) return {};
  const auto key = [&](const KernelRecord& record) {
    return std::tuple(gaps && record.id_order == IdOrder::kFlat, pace(times, record),
                      demand.bias != (record.bias != Dimension::kNone));
  };
  return rank(
      profiles, limits, Role::kActivation,
      [&](const KernelRecord& record) { return meets(record, demand); }, key);
}

std::vector<const KernelRecord*> rank_softmaxes(const std::vector<const Profile*>& profiles,
                                                const MeasuredTimes& times,
                                                const DeviceLimits& limits) {
  return rank(
      profiles, limits, Role::kSoftmax, [](const KernelRecord&) { return true; },
      [&](const KernelRecord& record) { return pace(times, record); });
}

}  // namespace tilewright
