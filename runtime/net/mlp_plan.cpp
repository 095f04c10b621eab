#include "runtime/net/mlp_plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tilewright {
namespace {

// How many floats have the storage's bytes, in whole vectors.
std::size_t whole_floats(const Storage& storage) {
  return whole_vectors(quotient_up(storage.bytes(), sizeof(float)));
}

}  // namespace

MlpWorkspace lay_out(const std::vector<MlpStage>& stages,
                     const std::vector<PlannedStage>& planned) {
  std::size_t even = 0;
  std::size_t odd = 0;
  std::size_t packed = 0;
  std::size_t between = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::size_t result = whole_floats(planned[i].made);
    if (stages[i].to == MlpPlace::kEven) even = std::max(even, result);
    if (stages[i].to == MlpPlace::kOdd) odd = std::max(odd, result);
    if (!planned[i].product) continue;
    const Route& route = planned[i].product->route;
    if (route.kernels[CallStep::kPackA] != nullptr && !route.storage.a.image) {
      packed = std::max(packed, whole_floats(route.storage.a));
    }
    if (route.storage.between) {
      between = std::max(between, whole_floats(*route.storage.between));
    }
  }
  // Where sizes have 32 bits the sum may be beyond them: then it is more than can be allocated.
  const std::uint64_t all = std::uint64_t{even} + odd + packed + between;
  const auto elements = static_cast<std::size_t>(std::min<std::uint64_t>(all, kMaxElements));
  const auto columns = static_cast<std::int64_t>(elements);
  return {0, even, even + odd, even + odd + packed,
          Storage{Layout::R(), false, 1, columns, elements, elements}};
}

std::shared_ptr<const MlpPlan> MlpPlans::find(const MlpKey& key) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(plans_.begin(), plans_.end(),
                                  [&](const auto& plan) { return plan->key == key; });
  if (known == plans_.end()) return nullptr;
  std::rotate(known, known + 1, plans_.end());
  return plans_.back();
}

void MlpPlans::insert(std::shared_ptr<const MlpPlan> plan) {
  std::shared_ptr<const MlpPlan> leaves;  // after the lock does
  const std::lock_guard lock(mutex_);
  if (plans_.size() == kMaxPlans) {
    leaves = std::move(plans_.front());
    plans_.erase(plans_.begin());
  }
  plans_.push_back(std::move(plan));
}

}  // namespace tilewright
