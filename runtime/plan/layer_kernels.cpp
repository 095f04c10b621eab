#include "runtime/plan/layer_kernels.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "profiles/round_up.hpp"
#include "profiles/work_group.hpp"

namespace tilewright {
namespace {

// The kernels of a role, precision and layout that fit the device and for which `can` returns true,
// ordered by their keys.
template <class Can, class Key>
std::vector<const KernelRecord*> rank(const std::vector<const Profile*>& profiles,
                                      const DeviceLimits& limits, Role role, Precision precision,
                                      const Layout& layout, const Can& can, const Key& key) {
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
                                                  const LayerEpilogue& epilogue,
                                                  const Layout& layout, bool gaps) {
  if (epilogue.empty()) return {};
  const auto key = [&](const KernelRecord& record) {
    return std::tuple(gaps && record.id_order == IdOrder::kFlat, ns_per_element(times, record),
                      epilogue.bias != (record.bias != Dimension::kNone));
  };
  return rank(
      profiles, limits, Role::kActivation, precision, layout,
      [&](const KernelRecord& record) { return implements_epilogue(record, epilogue); }, key);
}

LayerChoices activations_in(const std::vector<const Profile*>& profiles, const MeasuredTimes& times,
                            const DeviceLimits& limits, Precision precision,
                            const LayerEpilogue& epilogue, const Layout& layout, bool gaps) {
  LayerChoices own{rank_activations(profiles, times, limits, precision, epilogue, layout, gaps),
                   false};
  if (!own.kernels.empty() || layout == Layout::R() || epilogue.bias) return own;
  own.kernels = rank_activations(profiles, times, limits, precision, epilogue, Layout::R(), false);
  own.along_memory = true;
  return own;
}

std::vector<const KernelRecord*> rank_softmaxes(const std::vector<const Profile*>& profiles,
                                                const MeasuredTimes& times,
                                                const DeviceLimits& limits, Precision precision,
                                                Activation applied, const Layout& layout) {
  return rank(
      profiles, limits, Role::kSoftmax, precision, layout,
      [applied](const KernelRecord& record) { return record.activation == applied; },
      [&](const KernelRecord& record) { return ns_per_element(times, record); });
}

ActivationProblem padded_activation(const KernelRecord& record, std::int64_t m, std::int64_t n,
                                    const MatrixArgument& x, const MatrixArgument& y) {
  ActivationProblem problem;
  problem.m = m;
  problem.n = n;
  problem.padded_m = round_up(m, record.layout_a.chunk_rows());
  problem.padded_n = round_up(n, record.layout_a.chunk_columns());
  problem.x = x;
  problem.y = y;
  return problem;
}

ActivationProblem along_memory(const MatrixArgument& x, std::size_t elements) {
  ActivationProblem problem;
  problem.m = problem.padded_m = static_cast<std::int64_t>(elements / kMemoryRow);
  problem.n = problem.padded_n = kMemoryRow;
  problem.x = problem.y = {x.buffer, x.offset, kMemoryRow};
  return problem;
}

SoftmaxProblem padded_softmax(const KernelRecord& record, std::int64_t m, std::int64_t n,
                              std::int64_t columns, const MatrixArgument& x,
                              const MatrixArgument& y) {
  return {m,
          n,
          round_up(m, record.layout_a.chunk_rows()),
          round_up(columns, record.layout_a.chunk_columns()),
          x,
          y};
}

}  // namespace tilewright
