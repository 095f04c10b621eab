#include "runtime/plan/layer_kernels.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "profiles/work_group.hpp"

namespace tilewright {
namespace {

// The kernels of a role and precision for row-major matrices that fit the device and for which
// `can` returns true, ordered by their keys.
template <class Can, class Key>
std::vector<const KernelRecord*> rank(const std::vector<const Profile*>& profiles,
                                      const DeviceLimits& limits, Role role, Precision precision,
                                      const Can& can, const Key& key) {
  const Layout layout = Layout::R();
  std::vector<const KernelRecord*> kernels;
  for (const Profile* profile : profiles) {
    for (const KernelRecord& record : profile->kernels) {
      const bool has_layout = record.layout_a == layout && record.layout_c == layout;
      if (record.role == role && record.precision == precision && has_layout &&
          fits(record, limits) && can(record)) {
        kernels.push_back(&record);
      }
    }
  }
  std::stable_sort(kernels.begin(), kernels.end(),
                   [&](const auto* a, const auto* b) { return key(*a) < key(*b); });
  return kernels;
}

double ns_per_element(const MeasuredTimes& times, const KernelRecord& record) {
  return times.ns_per_element(record).value_or(std::numeric_limits<double>::infinity());
}

}  // namespace

bool fits(const KernelRecord& record, const DeviceLimits& limits) {
  const auto& [x, y] = limits.max_work_item_sizes;
  return launched_work_group(record, {limits.max_work_group_size, {x, y, record.work_group_k}}) &&
         record.local_bytes <= limits.local_memory_bytes &&
         (record.images == Images{} || limits.image_support);
}

std::vector<const KernelRecord*> rank_activations(const std::vector<const Profile*>& profiles,
                                                  const MeasuredTimes& times,
                                                  const DeviceLimits& limits, Precision precision,
                                                  const LayerEpilogue& epilogue, bool gaps) {
  if (epilogue.empty()) return {};
  const auto key = [&](const KernelRecord& record) {
    return std::tuple(gaps && record.id_order == IdOrder::kFlat, ns_per_element(times, record),
                      epilogue.bias != (record.bias != Dimension::kNone));
  };
  return rank(
      profiles, limits, Role::kActivation, precision,
      [&](const KernelRecord& record) { return implements_epilogue(record, epilogue); }, key);
}

std::vector<const KernelRecord*> rank_softmaxes(const std::vector<const Profile*>& profiles,
                                                const MeasuredTimes& times,
                                                const DeviceLimits& limits, Precision precision,
                                                Activation applied) {
  return rank(
      profiles, limits, Role::kSoftmax, precision,
      [applied](const KernelRecord& record) { return record.activation == applied; },
      [&](const KernelRecord& record) { return ns_per_element(times, record); });
}

}  // namespace tilewright
